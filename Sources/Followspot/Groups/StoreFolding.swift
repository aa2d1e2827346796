// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// Hides hits of the stores that would fill a page, so that each store with matches has a share of it.
struct StoreFolding {
  /// The least number of hits of a store that are shown.
  private static let shown = 3
  /// The number of searches that look for further stores.
  private static let mostSearches = 5

  private let ranking: GroupRanking
  private let names: [String]

  /// nil if nothing is folded: the query has an order or names a store, or there is no other store.
  init?(_ ranking: GroupRanking, _ request: SearchRequest, _ names: [String]) {
    guard request.folds, request.limit != nil, request.store == nil, names.count > 1 else { return nil }
    (self.ranking, self.names) = (ranking, names)
  }

  /// The page with a share for each store, and how many matches of the others are hidden; nil if nothing is.
  func page(_ request: SearchRequest) throws -> (page: Ranker.Page, folded: [FoldedHits])? {
    // The first page decides, so that the next ones continue it.
    var first = request
    first.offset = 0
    let whole = try ranking.page(first)
    guard let count = request.limit, whole.estimated > whole.hits.count else { return nil }
    if !whole.isWidened, first.words == .widening { first.words = .all }
    let found = try hitsByStore(whole, first)
    guard found.count > 1, let share = Self.share(of: count, among: found.values.map(\.count)) else { return nil }
    let folded = found.filter { $0.value.count > share }.keys.sorted()
    var hidden: [Query] = []
    var counted: [FoldedHits] = []
    for store in folded {
      guard let documents = ranking.documents(of: store), let plan = ranking.plan(of: store),
        let view = ranking.parts.first(where: { $0.members.contains(store) })?.view, let hits = found[store]
      else { continue }
      let kept = Query.filter(view.documents(of: hits.prefix(share).map(\.identity)), by: documents)
      hidden.append(.andNot(documents, kept))
      let all = try view.matchCount(of: .filter(whole.query(plan), by: documents), exactUpTo: Ranker.exactUpTo)
      counted.append(FoldedHits(.store(names[store]), records: all - share))
    }
    guard !hidden.isEmpty else { return nil }
    first.offset = request.offset
    let hits = try ranking.excluding(.or(hidden)).page(first).hits
    return (
      Ranker.Page(hits: hits, estimated: whole.estimated, isWidened: whole.isWidened, query: whole.query), counted
    )
  }

  /// The best hits of each store, as many as a page has, by the index of the store.
  private func hitsByStore(_ whole: Ranker.Page, _ request: SearchRequest) throws -> [Int: [Hits.Hit]] {
    var found = try Dictionary(grouping: whole.hits, by: ranking.readers.member)
    var excluded: Set<Int> = []
    for _ in 0..<Self.mostSearches {
      try StopSignal.check()
      let many = found.filter { $0.value.count > Self.shown && !excluded.contains($0.key) }.keys
      let documents = many.compactMap(ranking.documents)
      guard !documents.isEmpty else { break }
      excluded.formUnion(many)
      let others = ranking.excluding(.or(excluded.compactMap(ranking.documents)))
      let hits = try others.page(request).hits
      guard !hits.isEmpty else { break }
      found.merge(try Dictionary(grouping: hits, by: ranking.readers.member)) { $1 }
    }
    return found
  }

  /// The largest number of hits of one store on a page that they fill together; nil if none has more.
  private static func share(of count: Int, among sizes: [Int]) -> Int? {
    guard let largest = sizes.max(), largest > shown else { return nil }
    let share = (shown...largest).first { share in sizes.reduce(0) { $0 + min($1, share) } >= count } ?? largest
    return share < largest ? share : nil
  }
}
