// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Ranks the matches of a query by relevance, in two stages, and divides them into pages.
///
/// The first stage is BM25 over all words, by Xapian. The second compares the query with the title and the short texts
/// of the best candidates, as a person reads a list of results.
package struct Ranker {
  /// An index, or several with the same fields that are read as one, and the query compiled for them.
  struct Part {
    let view: SearchView
    private(set) var plan: QueryPlan
    /// The words of the query as typed, then with synonyms, and with beginnings of words; empty if the query has no words.
    let matches: [QueryMatch]
    fileprivate let weights: RankingWeights

    init(_ view: SearchView, _ plan: QueryPlan) throws {
      (self.view, self.plan) = (view, plan)
      let weights = try RankingWeights.current()
      self.weights = weights
      var folder = TextFolder()
      let stopWords = Set(view.stopWords.map { Array($0.utf8)[...] })
      let languages = FieldTable.sorted(view.fields.languages).filter { $0 != "none" }
      let typed = plan.unfinished.isEmpty ? plan.typed : plan.unfinished.map(\.text)
      var matches = try ([typed] + plan.readings).compactMap {
        try QueryMatch($0, stopWords: stopWords, languages: languages, reader: view.reader, weights: weights, &folder)
      }
      let beginnings = plan.unfinished.filter(\.isBeginning).compactMap { RankingText($0.text, &folder).words.last }
      if !beginnings.isEmpty, let first = matches.first { matches.append(first.unfinished(beginnings)) }
      self.matches = matches
    }

    /// The same part, in which some documents are not hits.
    func excluding(_ documents: Query) -> Part {
      var part = self
      part.plan.excluded.append(documents)
      return part
    }

    /// The queries for hits whose whole title, a whole item of a facet, or the key equals the words of the query.
    fileprivate func wholeTitleQueries(_ query: Query) -> [Query] {
      var folder = TextFolder()
      let isUnfinished = plan.unfinished.count > 1
      let text = (isUnfinished ? plan.unfinished.map(\.text) : plan.typed).joined(separator: " ")
      let title = TitleText.term(of: text, &folder).map { isUnfinished ? Query.prefixes([$0]) : .term($0) }
      let items = view.fields.names.compactMap { view.fields[$0] }.filter { $0.roles.contains(.facet) }
        .map { view.facetTerm($0, text) }
      let keys = (plan.keyQuery.map { [$0] } ?? []) + codeQueries
      let whole = [title.map { [$0] } ?? [], items.map(Query.term), keys].filter { !$0.isEmpty }
      return whole.map { .filter(query, by: .or($0)) }
    }

    /// The queries for records whose own code has the only word of the query.
    private var codeQueries: [Query] {
      guard let word = matches.first?.whole, word.count == 1 else { return [] }
      let names = Set(view.store.layout.entities.flatMap(\.entity.keyAttributes))
      return names.compactMap { view.fields[$0] }.filter { $0.roles.contains(.text) }
        .map { view.query(ofWord: Array(word[0]), prefix: $0.textPrefix) }
    }
  }

  /// One page of a list that depends only on the query.
  struct Page {
    let hits: [Hits.Hit]
    let estimated: Int
    /// Whether records with any of the words follow those with all of them.
    let isWidened: Bool
    /// The query that found the hits.
    let query: (QueryPlan) -> Query

    init(hits: [Hits.Hit], estimated: Int, isWidened: Bool, query: @escaping (QueryPlan) -> Query) {
      (self.hits, self.estimated, self.isWidened, self.query) = (hits, estimated, isWidened, query)
    }
  }

  /// Maximum number of matches that are counted exactly.
  package static let exactUpTo = 10_000
  /// Number of hits of the first stage that the second stage ranks again.
  package static let candidates = 200
  /// Maximum number of further candidates whose whole title is the query, of those with such an item, and of those with such
  /// a key.
  private static let mostWholeTitles = 100

  let parts: [Part]
  /// What the second stage adds to each of some hits; nil for a hit whose row does not exist.
  private let bonuses: ([Hits.Hit]) throws -> [RankingBonus?]

  /// - Parameter bonuses: Reads the rows of hits. nil for a hit whose row does not exist.
  init(_ parts: [Part], bonuses: @escaping ([Hits.Hit]) throws -> [RankingBonus?]) {
    (self.parts, self.bonuses) = (parts, bonuses)
  }

  /// The ranker of one store.
  init(_ view: SearchView, _ plan: QueryPlan) throws {
    let part = try Part(view, plan)
    self.init([part]) { hits in
      let reader = try CandidateReader(view, part)
      return try reader.bonuses(
        of: hits.map { view.row(identity: $0.identity) },
        numbers: view.reader.databases == 1 ? hits.map(\.number) : nil)
    }
  }

  /// The plan of a request with its expansion and its boosts.
  ///
  /// - Parameter others: Documents that must not be hits, besides those that the view hides.
  static func plan(
    _ request: SearchRequest, in view: SearchView, excluding others: [Query] = []
  ) throws -> QueryPlan {
    var plan = try QueryCompiler(request, view).plan()
    plan.excluded += others
    if request.expands { try QueryExpansion(view: view).add(to: &plan) }
    try QueryBoosts(request: request, view: view).add(to: &plan)
    return plan
  }

  // MARK: Pages

  /// The page of one store that a request asks for, in its order. Deleted records that no words rank are ordered by their
  /// deletion, the newest first.
  static func page(of plan: QueryPlan, _ request: SearchRequest, in view: SearchView) throws -> Page {
    let ranker = try Ranker(view, plan)
    let sorter = try request.sort.isEmpty ? nil : Sorter(request, view)
    let isByDeletion =
      view.rows.deletions != nil && plan.typed.isEmpty && !plan.isExplicit && plan.boosts.isEmpty
    let order = sorter.map(\.order) ?? (isByDeletion ? (DocumentLayout.Slot.deletion, true) : nil)
    guard sorter != nil || order != nil else { return try ranker.page(request) }
    return try ranker.page(request) { query, offset, limit, exactUpTo in
      try sorter?.page(query(plan), offset: offset, limit: limit)
        ?? view.hits(of: query(plan), offset: offset, limit: limit, exactUpTo: exactUpTo, order: order)
    }
  }

  /// The page of relevant hits that a request asks for.
  func page(_ request: SearchRequest) throws -> Page { try page(request, ranked) }

  /// - Parameter matches: The matches of a query between an offset and a limit, in an order of its own.
  private func page(
    _ request: SearchRequest,
    _ matches: (_ query: (QueryPlan) -> Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int) throws -> Hits
  ) throws -> Page {
    let documents = try parts[0].view.reader.documentCount()
    let limit = request.limit ?? documents
    let exactUpTo = max(Self.exactUpTo, request.limit == nil ? documents : 0)
    if request.words == .any {
      let found = try matches(\.any, request.offset, limit, exactUpTo)
      return Page(hits: found.hits, estimated: found.matches, isWidened: false, query: \.any)
    }
    let full = try matches(\.all, request.offset, limit, exactUpTo)
    guard parts.contains(where: { $0.plan.isWidened(request, matches: full.matches) }) else {
      return Page(hits: full.hits, estimated: full.matches, isWidened: false, query: \.all)
    }
    // The full matches come first, and then the records with any of the words.
    let rest: (QueryPlan) -> Query = { .andNot($0.any, $0.all) }
    let exact = try frequency(\.all, documents)
    let free = limit - full.hits.count
    guard free > 0 else {
      let others = try frequency(rest, Self.exactUpTo)
      return Page(hits: full.hits, estimated: exact + others, isWidened: others > 0, query: \.any)
    }
    let others = try matches(rest, max(0, request.offset - exact), free, exactUpTo)
    return Page(
      hits: full.hits + others.hits, estimated: exact + others.matches, isWidened: others.matches > 0, query: \.any)
  }

  private func frequency(_ query: (QueryPlan) -> Query, _ exactUpTo: Int) throws -> Int {
    try parts.reduce(0) { try $0 + $1.view.matchCount(of: query($1.plan), exactUpTo: exactUpTo) }
  }

  // MARK: Stages

  /// The candidates in the order of both stages, then the others in the order of the first stage.
  private func ranked(
    _ query: (QueryPlan) -> Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int
  ) throws -> Hits {
    guard parts.contains(where: { !$0.matches.isEmpty }) else {
      return try firstStage(query, offset, limit, exactUpTo)
    }
    let (best, named) = try candidates(query, exactUpTo)
    let hits = best.hits + named
    let ranked = try scored(hits, best: min(offset, hits.count) + min(limit, hits.count)).map(\.hit)
    let page = Array(ranked.dropFirst(offset).prefix(limit))
    let behind = max(0, offset - ranked.count)
    guard page.count < limit, best.matches > ranked.count else { return Hits(hits: page, matches: best.matches) }
    // Hits that are candidates by their titles come again later in the first stage.
    let skipped = named.isEmpty ? behind : 0
    let free = limit - page.count
    let places = Set(named.map(\.place))
    let further = try firstStage(
      query, Self.candidates + skipped, behind - skipped + free + named.count, exactUpTo)
    let others = further.hits.filter { !places.contains($0.place) }.dropFirst(behind - skipped).prefix(free)
    return Hits(hits: page + others, matches: best.matches)
  }

  /// One page of the matches in the order of Xapian's weights.
  private func firstStage(
    _ query: (QueryPlan) -> Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int
  ) throws -> Hits {
    if parts.count == 1 {
      return try parts[0].view.hits(of: query(parts[0].plan), offset: offset, limit: limit, exactUpTo: exactUpTo)
    }
    let found = try parts.map { try $0.view.hits(of: query($0.plan), limit: offset + limit, exactUpTo: exactUpTo) }
    let hits = found.flatMap(\.hits).sorted(by: Self.precedes).dropFirst(offset).prefix(limit)
    return Hits(hits: Array(hits), matches: found.reduce(0) { $0 + $1.matches })
  }

  /// The hits that the second stage ranks again, in the order of the first stage, and those with a whole title.
  private func candidates(
    _ query: (QueryPlan) -> Query, _ exactUpTo: Int
  ) throws -> (best: Hits, named: [Hits.Hit]) {
    let best = try firstStage(query, 0, Self.candidates, exactUpTo)
    guard best.matches > best.hits.count else { return (best, []) }
    var known = Set(best.hits.map(\.place))
    let named = try parts.flatMap { part in
      try part.wholeTitleQueries(query(part.plan)).flatMap {
        try part.view.hits(of: $0, limit: Self.mostWholeTitles, exactUpTo: exactUpTo).hits
      }
    }
    return (best, named.filter { known.insert($0.place).inserted })
  }

  /// The hits with the scores of both stages and what the second one added, the best first; nil for a hit whose row does
  /// not exist.
  ///
  /// - Parameter count: The number of the best hits whose order is needed. Summaries of others are not compared.
  private func scored(_ hits: [Hits.Hit], best count: Int) throws -> [(hit: Hits.Hit, bonus: RankingBonus?)] {
    let scale = scale(of: hits)
    var (ranked, added) = (hits, try bonuses(hits))
    func addBonus(_ index: Int) {
      if let bonus = added[index] { ranked[index].score = hits[index].score + scale * bonus.sum }
    }
    hits.indices.forEach(addBonus)
    var summaries = SimilarSummaries(alike: parts[0].weights.alike)
    // No hit comes before those that keep their score and were better.
    var settled = 0
    for index in Self.order(of: ranked) where settled < count {
      guard let summary = added[index]?.summaryText, !summary.isEmpty, summaries.isLikeBetterOne(summary) else {
        settled += 1
        continue
      }
      added[index]?.addSimilarity()
      addBonus(index)
    }
    return Self.order(of: ranked).map { (ranked[$0], added[$0]) }
  }

  /// The indices of hits, that of the best first.
  private static func order(of hits: [Hits.Hit]) -> [Int] { hits.indices.sorted { precedes(hits[$0], hits[$1]) } }

  /// The best score without boosts. The second stage adds shares of it.
  private func scale(of hits: [Hits.Hit]) -> Double {
    let best = parts.compactMap(\.plan.bestUnboosted).max() ?? hits.lazy.map(\.score).max() ?? 0
    return best > 0 ? best : 1
  }

  /// What the second stage adds to one hit of a query; nil if the hit is not a candidate.
  func bonus(
    of isWanted: (Hits.Hit) -> Bool, in query: @escaping (QueryPlan) -> Query
  ) throws -> (bonus: RankingBonus, scale: Double)? {
    guard parts.contains(where: { !$0.matches.isEmpty }) else { return nil }
    let (best, named) = try candidates(query, Self.exactUpTo)
    let hits = best.hits + named
    let ranked = try scored(hits, best: hits.count)
    guard let bonus = ranked.first(where: { isWanted($0.hit) })?.bonus else { return nil }
    return (bonus, scale(of: hits))
  }

  /// The best first. Equal scores are ordered by identity, then by store.
  private static func precedes(_ one: Hits.Hit, _ other: Hits.Hit) -> Bool {
    if one.score != other.score { return one.score > other.score }
    if one.identity != other.identity { return one.identity.lexicographicallyPrecedes(other.identity) }
    return (one.database, one.number) < (other.database, other.number)
  }
}

extension Hits.Hit {
  /// Identifies the document among those that are searched.
  fileprivate var place: Place { Place(database: database, number: number) }

  fileprivate struct Place: Hashable {
    let database: Int
    let number: UInt32
  }
}
