// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The whole titles across other tables that a query names. They are looked up in the index, because a record may have
/// many, and each candidate would need a scan of a table without an index.
struct LinkedTitles {
  /// Maximum number of words of a query in which titles are looked for.
  private static let mostWords = 8
  /// Maximum number of records of one title.
  private static let mostNamed = 50

  let view: SearchView
  /// The records by the identities of their documents.
  let identities: [[UInt8]: RowIdentifier]
  let documents: Query

  /// The titles that each of the records has and that are some adjacent words of the query.
  func titles(in match: QueryMatch) throws -> [RowIdentifier: [RankingText]] {
    guard !identities.isEmpty else { return [:] }
    let words = match.whole
    var found: [RowIdentifier: [RankingText]] = [:]
    var folder = TextFolder()
    for first in 0..<min(words.count, Self.mostWords) {
      for end in (first + 1)...min(words.count, Self.mostWords) {
        let title = words.keeping(Array(first..<end))
        let named = try relatedTerms(ofTitle: title.words.joined(separator: " "), &folder)
        guard !named.isEmpty else { continue }
        for hit in try view.matches(of: view.visible(.and([documents, .or(named.map(Query.term))]))) {
          if let row = identities[hit.identity] { found[row, default: []].append(title) }
        }
      }
    }
    return found
  }

  /// The terms that records have which belong to a record with this title.
  private func relatedTerms(ofTitle title: String, _ folder: inout TextFolder) throws -> [[UInt8]] {
    guard let term = TitleText.term(of: title, &folder), try view.reader.frequency(of: term) > 0 else { return [] }
    let named = try view.hits(of: view.visible(.term(term)), limit: Self.mostNamed).hits
    return try named.compactMap { DocumentLayout.parseIdentity($0.identity) }
      .map { DocumentLayout.relatedTerm(entity: $0.entity, key: $0.key) }
      .filter { try view.reader.frequency(of: $0) > 0 }
  }
}
