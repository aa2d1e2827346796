// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
package import SearchIndex

/// Ranking by relevance, in two stages. The first is BM25 over all words, by Xapian. The second compares the query with
/// the title and the short texts of the best candidates, as a person reads a list of results.
extension Searcher {
  /// Number of hits of the first stage that the second stage ranks again.
  package static let candidates = 200
  /// Maximum number of further candidates whose whole title is the query, and of those with such an item.
  package static let namesakes = 50

  /// One page of hits: the candidates in the order of both stages, then the others in the order of the first stage.
  func rankedPage(_ query: Query, _ plan: QueryPlan, offset: Int, limit: Int, exactUpTo: Int) throws -> Hits {
    let matches = try queryMatches(plan)
    guard !matches.isEmpty else { return try firstStage(query, offset, limit, exactUpTo) }
    let (best, named) = try candidates(query, plan, exactUpTo)
    let ranked = try secondStage(best.hits + named, matches, plan)
    let page = Array(ranked.dropFirst(offset).prefix(limit))
    let behind = max(0, offset - ranked.count)
    guard page.count < limit, best.matches > ranked.count else { return Hits(hits: page, matches: best.matches) }
    let identities = named.map(\.identity).sorted { $0.lexicographicallyPrecedes($1) }
    let rest = identities.isEmpty ? query : .andNot(query, .valueSet(slot: DocumentLayout.Slot.identity, identities))
    let others = try firstStage(rest, Self.candidates + behind, limit - page.count, exactUpTo)
    return Hits(hits: page + others.hits, matches: best.matches)
  }

  /// One page of the hits of a query in the order of Xapian's weights.
  package func firstStage(_ query: Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int) throws -> Hits {
    try index.reader.search(
      query, offset: offset, limit: limit, exactUpTo: exactUpTo, identitySlot: DocumentLayout.Slot.identity,
      readsData: false)
  }

  /// The number of candidates that the first stage finds, for measurements of its share.
  package func firstStage(of request: SearchRequest) throws -> Int {
    try withSnapshot(request) { _ in
      try firstStage(plan(request).all, 0, Self.candidates, Self.exactUpTo).hits.count
    }
  }

  /// The queries for hits whose whole title, or a whole item of a facet, equals the words of the query.
  package func namesakeQueries(_ query: Query, _ plan: QueryPlan) -> [Query] {
    var folder = TextFolder()
    let text = plan.typed.joined(separator: " ")
    let title = TitleText.term(of: text, &folder).map { [$0] } ?? []
    let items = index.fields.names.compactMap { index.fields[$0] }.filter { $0.roles.contains(.facet) }
      .map { index.facetTerm($0, text) }
    return [title, items].filter { !$0.isEmpty }.map { .filter(query, by: .or($0.map(Query.term))) }
  }

  /// The hits that the second stage ranks again, in the order of the first stage.
  private func candidates(
    _ query: Query, _ plan: QueryPlan, _ exactUpTo: Int
  ) throws -> (best: Hits, named: [Hits.Hit]) {
    let best = try firstStage(query, 0, Self.candidates, exactUpTo)
    guard best.matches > best.hits.count else { return (best, []) }
    var known = Set(best.hits.map(\.identity))
    let named = try namesakeQueries(query, plan).flatMap { try firstStage($0, 0, Self.namesakes, exactUpTo).hits }
    return (best, named.filter { known.insert($0.identity).inserted })
  }

  /// The hits with the scores of both stages, the best first. Equal scores are ordered by identity.
  private func secondStage(
    _ hits: [Hits.Hit], _ matches: [QueryMatch], _ plan: QueryPlan
  ) throws -> [Hits.Hit] {
    let scale = Self.scale(hits, plan)
    let reader = try candidateReader(matches)
    return try hits.map { hit in
      var hit = hit
      if let row = row(identity: hit.identity), let bonus = try reader.bonus(of: row) { hit.score += scale * bonus.sum }
      return hit
    }.sorted { ($1.score, $0.identity) < ($0.score, $1.identity) }
  }

  /// The best score without boosts. The second stage adds shares of it.
  static func scale(_ hits: [Hits.Hit], _ plan: QueryPlan) -> Double {
    let best = plan.bestUnboosted ?? hits.lazy.map(\.score).max() ?? 0
    return best > 0 ? best : 1
  }

  package func candidateReader(_ matches: [QueryMatch]) throws -> CandidateReader {
    CandidateReader(rows: rows, mapper: try index.mapper(for: store.layout), matches: matches)
  }

  /// What the second stage adds to one hit of a query; nil if the hit is not a candidate.
  func bonus(
    of row: RowIdentifier, _ identity: [UInt8], in query: Query, _ plan: QueryPlan
  ) throws -> (bonus: RankingBonus, scale: Double)? {
    let matches = try queryMatches(plan)
    guard !matches.isEmpty else { return nil }
    let (best, named) = try candidates(query, plan, Self.exactUpTo)
    let hits = best.hits + named
    guard hits.contains(where: { $0.identity == identity }), let bonus = try candidateReader(matches).bonus(of: row)
    else {
      return nil
    }
    return (bonus, Self.scale(hits, plan))
  }

  /// The words of a query as typed, then with synonyms; empty if the query has no plain words.
  package func queryMatches(_ plan: QueryPlan) throws -> [QueryMatch] {
    var folder = TextFolder()
    let stopWords = Set(index.stopWords.map { Array($0.utf8)[...] })
    let languages = FieldTable.sorted(index.fields.languages).filter { $0 != "none" }
    return try ([plan.typed] + plan.readings).compactMap {
      try QueryMatch($0, stopWords: stopWords, languages: languages, reader: index.reader, &folder)
    }
  }
}

private func < (left: (Double, [UInt8]), right: (Double, [UInt8])) -> Bool {
  left.0 != right.0 ? left.0 < right.0 : left.1.lexicographicallyPrecedes(right.1)
}
