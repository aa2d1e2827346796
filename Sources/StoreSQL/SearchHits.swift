// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SearchIndex
internal import Searching

/// The hits of one search on one snapshot, in the order of `search`. They are read in pages when they are needed.
final class SearchHits {
  /// The first page is enough for most statements with a LIMIT.
  private static let firstPage = 200

  private let searcher: Searcher
  private let snapshot: Searcher.Snapshot
  private var request: SearchRequest
  private let plan: QueryPlan
  private var hits: [(row: RowIdentifier, hit: Hits.Hit)] = []
  private var isComplete = false
  private var orders: [RowIdentifier: Int]?
  private var snippets: SnippetMaker?

  init(_ request: SearchRequest, _ searcher: Searcher, _ snapshot: Searcher.Snapshot) throws {
    (self.request, self.searcher, self.snapshot) = (request, searcher, snapshot)
    var plan = try searcher.plan(request)
    plan.excluded += try searcher.hidden(snapshot)
    self.plan = plan
    try read(limit: Self.firstPage)
  }

  var notes: [String] { plan.allNotes }

  private func read(limit: Int?) throws {
    request.limit = limit
    let page = try searcher.page(plan, request, snapshot)
    request.offset += page.hits.count
    isComplete = limit.map { page.hits.count < $0 } ?? true
    if snippets == nil { snippets = try searcher.snippetMaker(of: page.query(plan)) }
    for hit in page.hits {
      guard let row = searcher.row(identity: hit.identity),
        let entity = searcher.store.layout.entity(number: row.entity),
        try searcher.store.exists(entity, key: row.key)
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
  func title(_ index: Int) throws -> String { try searcher.join(hits[index].hit, snapshot)?.hit.title ?? "" }

  /// The passage that matches, with `…` where the text continues; nil if no text matches.
  func snippet(_ index: Int) throws -> String? {
    guard let snippet = try snippets?.snippet(of: hits[index].row) else { return nil }
    return (snippet.isTruncatedBefore ? "…" : "") + snippet.text + (snippet.isTruncatedAfter ? "…" : "")
  }
}
