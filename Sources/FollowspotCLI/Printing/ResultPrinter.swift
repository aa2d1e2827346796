// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// The output formats of `search`.
enum ResultFormat: String, CaseIterable, Sendable {
  case text, text0, json, ndjson, tsv, csv, ids
}

struct ResultPrinter {
  let format: ResultFormat
  let selector: FieldSelector
  /// Whether `--fields` was given.
  let hasFields: Bool
  /// Whether a terminal shows scores.
  let hasScores: Bool
  /// When the format `text` divides hits into sections.
  let sections: Sections
  /// A template that replaces the layout of the format; its fields are the selector's columns.
  let template: Template?

  enum Sections { case none, ofSeveralKinds, always }

  init(
    format: ResultFormat, selector: FieldSelector, hasFields: Bool, hasScores: Bool, sections: Sections,
    template: Template?
  ) {
    (self.format, self.selector, self.hasFields) = (format, selector, hasFields)
    (self.hasScores, self.sections, self.template) = (hasScores, sections, template)
  }

  func print(_ result: SearchResult, query: String) throws {
    if let template { return try fill(template, result) }
    switch format {
    case .ids: for hit in result.hits { Console.write(line: hit.identifier.uri) }
    case .tsv: for hit in result.hits { try row(hit, separator: "\t", escape: Self.tsv) }
    case .csv:
      Console.write(selector.columns.map { Self.csv(shown($0.name)) }.joined(separator: ",") + "\r\n")
      for hit in result.hits { try row(hit, separator: ",", escape: Self.csv, end: "\r\n") }
    case .text: try text(result)
    case .text0: for hit in result.hits { Console.write(try cells(of: hit).joined(separator: "\t") + "\0") }
    case .ndjson: for hit in result.hits { try document(hit).print() }
    case .json: try json(result, query: query)
    }
  }

  // MARK: Tables

  private func row(_ hit: Hit, separator: String, escape: (String) -> String, end: String = "\n") throws {
    let cells = try selector.columns.map { escape(shown(try selector.text($0.column, of: hit))) }
    Console.write(cells.joined(separator: separator) + end)
  }

  /// The text without control characters for a terminal; unchanged for a pipe.
  private func shown(_ text: String) -> String { Console.isOutputTerminal ? text.printable : text }

  static func tsv(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\t" || $0 == "\n" || $0 == "\r" }) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      shown.append(scalar == "\t" || scalar == "\n" || scalar == "\r" ? " " : scalar)
    }
    return String(shown)
  }

  static func csv(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
    guard needsQuotes else { return text }
    let doubled = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    return "\"" + doubled + "\""
  }

  // MARK: Text

  private func columns(of hit: Hit) throws -> [String] {
    try selector.columns.map { try selector.text($0.column, of: hit, uri: false).printable }
  }

  /// The columns and, if there is one, the snippet.
  func cells(of hit: Hit) throws -> [String] {
    try columns(of: hit) + (hit.snippet.map { [MarkedText($0).whole] } ?? [])
  }

  private func fill(_ template: Template, _ result: SearchResult) throws {
    for hit in result.hits { Console.write(template.filled(try columns(of: hit))) }
  }

  /// Prints identifier, score and title with TABs to a pipe, and a list to a terminal.
  private func text(_ result: SearchResult) throws {
    let list = self.list(result.hits)
    if Console.isOutputTerminal {
      try HitList(selector: selector, hasFields: hasFields, hasScores: hasScores, folded: result.folded).print(list)
    } else {
      for (index, section) in list.enumerated() {
        if let name = section.name {
          Console.write((index > 0 ? "\n" : "") + Style.bold(name.isEmpty ? "-" : name.printable) + "\n")
        }
        for hit in section.hits { Console.write(try cells(of: hit).joined(separator: "\t") + "\n") }
      }
    }
    facets(result.facets)
  }

  /// Divides the hits into sections, in the order of their best hits.
  private func list(_ hits: [Hit]) -> [HitList.Section] {
    var names: [String] = []
    if sections != .none { for hit in hits where !names.contains(hit.sectionName) { names.append(hit.sectionName) } }
    guard names.count > 1 || (sections == .always && !names.isEmpty) else {
      return [HitList.Section(name: nil, hits: hits)]
    }
    return names.map { name in HitList.Section(name: name, hits: hits.filter { $0.sectionName == name }) }
  }

  private func facets(_ facets: [Facet]) {
    for facet in facets {
      Console.write("\n" + Style.bold(facet.field.printable) + "\n")
      for value in facet.values.prefix(20) { Console.write(line: "\(value.count)\t\(value.text.printable)") }
      if facet.values.count > 20 { Console.write(Style.dim("and \(facet.values.count - 20) more values") + "\n") }
    }
  }

  // MARK: JSON

  private func document(_ hit: Hit) throws -> JSONObject {
    let stored = hit.deletion != nil ? hit.entity.preserved : hit.storedAttributes?.sorted()
    let fields: any JSONValue =
      try hasFields
      ? JSONObject(members: selector.columns.map { ($0.name, try selector.value($0.column, of: hit)) })
      : JSONFragment.row(hit.values, of: hit.entity, only: stored)
    let snippet = hit.snippet.map { snippet in
      [
        "field": snippet.field, "text": snippet.text,
        "highlights": snippet.highlights.map { [$0.lowerBound, $0.count] },
      ] as JSONObject
    }
    return [
      "id": hit.identifier.uri, "entity": hit.identifier.entityName, "title": hit.title, "store": IfPresent(hit.store),
      "score": JSONFragment.score(hit.score), "freshness": hit.freshness.rawValue, "fields": fields,
      "section": IfPresent(hit.section), "deleted": IfPresent(hit.deletion.map { JSONObject($0) }),
      "snippet": IfPresent(snippet),
    ]
  }

  /// One change of a result: `+`, `~` or `-` and the columns, or a line of JSON.
  func print(_ event: LiveSearch.Event) throws {
    guard format == .ndjson else {
      let cells = try cells(of: event.hit).joined(separator: Console.separator)
      return Console.write(line: "\(ChangeMark(event.kind).styled) " + cells)
    }
    let event: JSONObject = [
      "event": event.kind.rawValue, "token": event.token, "hit": try document(event.hit),
    ]
    try event.print()
  }

  private func json(_ result: SearchResult, query: String) throws {
    let hits = JSONFragment { json in
      try json.array { json in for hit in result.hits { try document(hit).write(to: &json) } }
    }
    try JSONObject(result, query: query, hits: hits).print()
  }
}

extension Hit {
  /// The heading of the hit's section: the value of the section field; defaults to its entity.
  fileprivate var sectionName: String { section ?? identifier.entityName }
}
