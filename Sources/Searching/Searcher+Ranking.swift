// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import SearchIndex

/// What `Ranker` asks of one index.
extension Searcher {
  /// One page of the hits of a query in the order of Xapian's weights.
  func firstStage(_ query: Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int) throws -> Hits {
    try index.reader.search(
      query, offset: offset, limit: limit, exactUpTo: exactUpTo, identitySlot: DocumentLayout.Slot.identity,
      readsData: false)
  }

  /// The number of candidates that the first stage finds, for measurements of its share.
  package func firstStage(of request: SearchRequest) throws -> Int {
    try withSnapshot(request) { _ in
      try firstStage(plan(request).all, 0, Ranker.candidates, Self.exactUpTo).hits.count
    }
  }

  /// The queries for hits whose whole title, or a whole item of a facet, equals the words of the query.
  func wholeTitleQueries(_ query: Query, _ plan: QueryPlan) -> [Query] {
    var folder = TextFolder()
    let text = plan.typed.joined(separator: " ")
    let title = TitleText.term(of: text, &folder).map { [$0] } ?? []
    let items = index.fields.names.compactMap { index.fields[$0] }.filter { $0.roles.contains(.facet) }
      .map { index.facetTerm($0, text) }
    return [title, items].filter { !$0.isEmpty }.map { .filter(query, by: .or($0.map(Query.term))) }
  }

  /// - Parameter matches: Of the query that is ranked.
  package func candidateReader(_ matches: [QueryMatch]) throws -> CandidateReader {
    CandidateReader(
      rows: rows, mapper: try index.mapper(for: store.layout), matches: matches, kinds: index.searched.kindWords,
      reader: index.reader)
  }

  /// The words of a query as typed, then with synonyms; empty if the query has no plain words.
  func queryMatches(_ plan: QueryPlan) throws -> [QueryMatch] {
    var folder = TextFolder()
    let stopWords = Set(index.stopWords.map { Array($0.utf8)[...] })
    let languages = FieldTable.sorted(index.fields.languages).filter { $0 != "none" }
    return try ([plan.typed] + plan.readings).compactMap {
      try QueryMatch($0, stopWords: stopWords, languages: languages, reader: index.reader, &folder)
    }
  }
}
