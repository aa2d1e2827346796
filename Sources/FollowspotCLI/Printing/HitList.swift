// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

/// Prints hits on a terminal: one table across all sections, titles first, and a snippet below each hit.
struct HitList {
  let selector: FieldSelector
  /// Whether `--fields` chose the columns; a header shows their names then.
  let hasFields: Bool
  let hasScores: Bool
  /// The matches that are not among the hits.
  let folded: [FoldedHits]

  struct Section {
    /// The heading; nil if the hits are not divided into sections.
    let name: String?
    let hits: [Hit]
  }

  func print(_ sections: [Section]) throws {
    let indent = sections.contains { $0.name != nil } ? "  " : ""
    let rows = try sections.flatMap(\.hits).map(cells)
    guard !rows.isEmpty else { return }
    let header = hasFields ? [selector.columns.map { $0.name.printable }] : []
    var lines = AlignedTable(header + rows, width: Console.width - indent.count).lines { cell, row, column in
      if hasFields { return row == 0 ? Style.bold(cell) : cell }
      return column == 0 ? Style.bold(cell) : Style.dim(cell)
    }[...]
    if hasFields, let header = lines.popFirst() { Console.write(indent + header + "\n") }
    for (index, section) in sections.enumerated() {
      if let name = section.name {
        Console.write((index > 0 ? "\n" : "") + Style.underlined(name.isEmpty ? "-" : name.printable) + "\n")
      }
      for hit in section.hits {
        if let line = lines.popFirst() { Console.write(indent + line + "\n") }
        if let snippet = hit.snippet { print(snippet, indent: indent + "    ") }
      }
      for hits in folded where hits.group == section.name.map(FoldedHits.Group.kind) {
        Console.write(indent + Self.line(hits))
      }
    }
    let shown = sections.compactMap { $0.name.map(FoldedHits.Group.kind) }
    for hits in folded where !shown.contains(hits.group) { Console.write(Self.line(hits)) }
  }

  /// `loan: 18 more that belong to it, --kind loan shows them`, or `films: 18 more, --store films shows them`.
  private static func line(_ hits: FoldedHits) -> String {
    let count = NumberText.grouped(hits.records)
    let isOne = hits.records == 1
    let line =
      switch hits.group {
      case .kind(let name):
        "\(name.printable): \(count) more that \(isOne ? "belongs" : "belong") to it, "
          + "--kind \(name.printable.quotedForShell)"
      case .store(let name): "\(name.printable): \(count) more, --store \(name.printable.quotedForShell)"
      }
    return Style.dim(line + " shows \(isOne ? "it" : "them")") + "\n"
  }

  private func cells(of hit: Hit) throws -> [String] {
    if hasFields {
      return try selector.columns.map { try selector.text($0.column, of: hit, uri: false).printable }
    }
    let title = hit.title.printable
    return [title.isEmpty ? "-" : title, hit.identifier.short.printable]
      + (hit.store.map { [$0.printable] } ?? []) + (hasScores ? [ScoreText.of(hit.score)] : [])
      + (hit.freshness == .changed ? ["changed since it was indexed"] : [])
      + (hit.deletion.map { [Self.text($0).printable] } ?? [])
  }

  /// How a record was deleted: `deleted 2 minutes ago by importer`.
  private static func text(_ deletion: StoredDeletion) -> String {
    "deleted \(HumanText.moment(deletion.secondsSince1970))" + (deletion.author.map { " by \($0)" } ?? "")
  }

  private func print(_ snippet: Snippet, indent: String) {
    let text = MarkedText(snippet)
    for line in WordWrap.lines(text.characters, width: Console.width - indent.count) {
      Console.write(indent + text.styled(line) + "\n")
    }
  }
}

/// A snippet for display: one line, without control characters.
struct MarkedText {
  private(set) var characters: [Character] = []
  /// Whether each character matches the query.
  private var isMatch: [Bool] = []

  init(_ snippet: Snippet) {
    let scalars = Array(snippet.text.unicodeScalars)
    if snippet.isTruncatedBefore { append("…", false) }
    var at = 0
    for range in snippet.highlights + [scalars.count..<scalars.count] {
      append(scalars[at..<range.lowerBound], false)
      append(scalars[range], true)
      at = range.upperBound
    }
    if snippet.isTruncatedAfter { append("…", false) }
  }

  private mutating func append(_ scalars: some Sequence<Unicode.Scalar>, _ matches: Bool) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    append(String(view).printable, matches)
  }

  private mutating func append(_ text: String, _ matches: Bool) {
    characters += text
    isMatch += Array(repeating: matches, count: characters.count - isMatch.count)
  }

  var whole: String { styled(0..<characters.count) }

  /// A range of the text, with its matches in bold.
  func styled(_ part: Range<Int>) -> String {
    var (text, at) = ("", part.lowerBound)
    while at < part.upperBound {
      let end = isMatch[at..<part.upperBound].firstIndex { $0 != isMatch[at] } ?? part.upperBound
      let piece = String(characters[at..<end])
      text += isMatch[at] ? Style.bold(piece) : piece
      at = end
    }
    return text
  }
}
