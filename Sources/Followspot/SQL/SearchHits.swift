// SPDX-License-Identifier: MIT

internal import Search
internal import SearchIndex
internal import Store

/// The hits of one search on one snapshot, in the order of `search`. They are read in pages when they are needed.
final class SearchHits {
  /// The first page is enough for most statements with a LIMIT.
  private static let firstPage = 200

  private let view: SearchView
  private let details: HitDetails
  private var request: SearchRequest
  private let plan: QueryPlan
  private var hits: [(row: RowIdentifier, hit: Hits.Hit)] = []
  private var isComplete = false
  private var orders: [RowIdentifier: Int]?
  private var snippets: SnippetMaker?

  init(_ request: SearchRequest, _ view: SearchView) throws {
    (self.request, self.view) = (request, view)
    details = try HitDetails(view, request, query: nil)
    plan = try QueryCompiler(request, view).plan()
    try read(limit: Self.firstPage)
  }

  var notes: [String] { plan.notes(with: view.freshness) }

  private func read(limit: Int?) throws {
    request.limit = limit
    let page = try Ranker.page(of: plan, request, in: view)
    request.offset += page.hits.count
    isComplete = limit.map { page.hits.count < $0 } ?? true
    if snippets == nil { snippets = try SnippetMaker(query: page.query(plan), view) }
    for hit in page.hits {
      guard let row = view.row(identity: hit.identity),
        let entity = view.store.layout.entity(number: row.entity),
        try view.store.exists(entity, key: row.key)
      else { continue }
      hits.append((row, hit))
    }
  }

  /// Whether there is a hit with this index.
  func has(_ index: Int) throws -> Bool {
    while index >= hits.count, !isComplete { try read(limit: nil) }
    return index < hits.count
  }

  /// The index of a row among all hits; nil if it is not a hit.
  func index(of row: RowIdentifier) throws -> Int? {
    _ = try has(.max)
    if orders == nil { orders = Dictionary(hits.enumerated().map { ($1.row, $0) }) { first, _ in first } }
    return orders?[row]
  }

  func row(_ index: Int) -> RowIdentifier { hits[index].row }
  func score(_ index: Int) -> Double { hits[index].hit.score }
  func title(_ index: Int) throws -> String { try details.hit(hits[index].hit)?.title ?? "" }

  /// The passage that matches, with `…` where the text continues; nil if no text matches.
  func snippet(_ index: Int) throws -> String? {
    guard let snippet = try snippets?.snippet(of: hits[index].row) else { return nil }
    return (snippet.isTruncatedBefore ? "…" : "") + snippet.text + (snippet.isTruncatedAfter ? "…" : "")
  }
}
