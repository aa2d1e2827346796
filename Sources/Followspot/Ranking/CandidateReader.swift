internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// Reads the title and the short texts of rows for the second stage of ranking.
final class CandidateReader {
  /// Maximum length of a short text in bytes.
  private static let longestText = 100

  private let rows: RowSource
  private let mapper: DocumentMapper
  /// The query as typed, then with synonyms.
  private let matches: [QueryMatch]
  private var folder = TextFolder()
  private var title = RankingText()
  private var items: [RankingText] = []
  private var texts: [RankingText] = []

  init(rows: RowSource, mapper: DocumentMapper, matches: [QueryMatch]) {
    self.rows = rows
    self.mapper = mapper
    self.matches = matches
  }

  /// What the second stage adds to a row; nil if the row does not exist.
  func bonus(of row: RowIdentifier) throws -> RankingBonus? {
    guard let plan = mapper.plan(ofEntity: row.entity) else { return nil }
    title = RankingText()
    items.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    var isThere = false
    try rows.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { live in
      guard let live else { return }
      isThere = true
      for output in plan.outputs where output.isTitle || plan.ranks(output) { try read(live, output) }
    }
    guard isThere else { return nil }
    for related in plan.related {
      let outputs = related.outputs.filter(plan.ranks)
      guard !outputs.isEmpty else { continue }
      try rows.eachRelated(along: related.path, from: row.key, attributes: related.attributes) { way in
        guard let end = way.end else { return }
        for output in outputs { try read(end, output) }
      }
    }
    return try matches.enumerated().map { position, match in
      let bonus = try RankingBonus(match, title: title, items: items, texts: texts)
      return position == 0 ? bonus : bonus.ofSynonym
    }.max { $0.sum < $1.sum }
  }

  private func read(_ row: Row, _ output: DocumentPlan.Output) throws {
    guard !row.isNull(output.column) else { return }
    switch output.type {
    case .string, .url:
      let text = row.bytes(output.column)
      if output.isTitle {
        title.read(UnsafeRawBufferPointer(rebasing: text.prefix(1_000)), &folder)
      } else if output.roles.contains(.facet) {
        // Several names may be written as one text.
        for item in text.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
          add(UnsafeRawBufferPointer(rebasing: item), isItem: true)
        }
      } else {
        add(text, isItem: false)
      }
    case .strings, .json:
      _ = try mapper.json.each(in: row.bytes(output.column)) { path, text in
        if JSONStrings.keys(of: path, below: output.keys) != nil { add(text, isItem: true) }
      }
    default: break
    }
  }

  private func add(_ text: UnsafeRawBufferPointer, isItem: Bool) {
    guard text.count <= Self.longestText else { return }
    var short = RankingText()
    short.read(text, &folder)
    guard !short.isEmpty else { return }
    if isItem { items.append(short) } else { texts.append(short) }
  }
}
