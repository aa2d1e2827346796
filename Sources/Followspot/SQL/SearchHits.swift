// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The hits of one search, in the order of `search`. They are read in pages when they are needed.
final class SearchHits {
  /// The first page is enough for most statements with a LIMIT.
  private static let firstPage = 200

  private struct Place: Hashable {
    let member: Int
    let row: RowIdentifier
  }

  private let ranking: HitRanking
  private var request: SearchRequest
  private var hits: [(place: Place, hit: Hits.Hit)] = []
  private var isComplete = false
  private var orders: [Place: Int]?
  private var query: ((QueryPlan) -> Query)?
  /// By member.
  private var details: [Int: HitDetails] = [:]
  private var snippets: [Int: SnippetMaker] = [:]

  init(_ request: SearchRequest, _ ranking: HitRanking) throws {
    (self.request, self.ranking) = (request, ranking)
    try read(limit: Self.firstPage)
  }

  var notes: [String] { ranking.notes }

  private func read(limit: Int?) throws {
    request.limit = limit
    let page = try ranking.page(request)
    request.offset += page.hits.count
    isComplete = limit.map { page.hits.count < $0 } ?? true
    query = query ?? page.query
    for hit in page.hits {
      let member = try ranking.member(hit)
      let view = try ranking.view(member)
      guard let row = view.row(identity: hit.identity),
        let entity = view.store.layout.entity(number: row.entity),
        try view.store.exists(entity, key: row.key)
      else { continue }
      hits.append((Place(member: member, row: row), hit))
    }
  }

  /// Whether there is a hit with this index.
  func has(_ index: Int) throws -> Bool {
    while index >= hits.count, !isComplete { try read(limit: nil) }
    return index < hits.count
  }

  /// The index of a row among all hits, by its key; nil if it is not a hit.
  func index(ofKey key: String) throws -> Int? {
    _ = try has(.max)
    let orders = orders ?? Dictionary(hits.enumerated().map { ($1.place, $0) }) { first, _ in first }
    self.orders = orders
    for (number, member) in ranking.members.enumerated() {
      if let row = try member.row(named: key), let index = orders[Place(member: number, row: row)] { return index }
    }
    return nil
  }

  func member(_ index: Int) -> MemberStore { ranking.members[hits[index].place.member] }
  func key(_ index: Int) throws -> String { try member(index).key(of: hits[index].place.row) }
  func entity(_ index: Int) -> String {
    member(index).store.layout.entity(number: hits[index].place.row.entity)?.entity.name ?? ""
  }
  func uri(_ index: Int) throws -> String { try member(index).store.identifier(of: hits[index].place.row).uri }
  func score(_ index: Int) -> Double { hits[index].hit.score }

  func title(_ index: Int) throws -> String {
    let member = hits[index].place.member
    let maker = try details[member] ?? HitDetails(ranking.view(member), request, query: nil)
    details[member] = maker
    return try maker.hit(hits[index].hit)?.title ?? ""
  }

  /// The passage that matches, with `…` where the text continues; nil if no text matches.
  func snippet(_ index: Int) throws -> String? {
    let (member, row) = (hits[index].place.member, hits[index].place.row)
    guard let query, let plan = ranking.plan(member) else { return nil }
    let maker = try snippets[member] ?? SnippetMaker(query: query(plan), ranking.view(member))
    snippets[member] = maker
    guard let snippet = try maker.snippet(of: row) else { return nil }
    return (snippet.isTruncatedBefore ? "…" : "") + snippet.text + (snippet.isTruncatedAfter ? "…" : "")
  }
}
