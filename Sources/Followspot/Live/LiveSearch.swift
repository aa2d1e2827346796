// SPDX-License-Identifier: MIT

package import Documents
internal import Indexer
package import Search
internal import SearchIndex
internal import Store

/// The result of a search and how it changes as records are saved. Not thread-safe.
package final class LiveSearch {
  package struct Event: Sendable {
    package let kind: ResultChange
    /// The hit of before if the record left the result.
    package let hit: Hit
    /// The transaction as of which the result was found.
    package let token: Int64
  }

  private let request: SearchRequest
  private let open: () throws -> Searcher
  private var searcher: Searcher
  private var hits: [RecordURI: Hit]?
  private var version: Int64 = 0
  /// Whether the last answer did not include the newest save.
  private var isBehind = false

  /// - Parameters:
  ///   - searcher: For the first searches.
  ///   - open: Opens the store and the index again, if the store was replaced or migrated.
  package init(_ request: SearchRequest, _ searcher: Searcher, open: @escaping () throws -> Searcher) {
    self.request = request
    self.searcher = searcher
    self.open = open
  }

  /// Searches, and gives what differs from the last call: hits that left, then the others in the order of the result.
  /// The first call gives all hits.
  ///
  /// - Throws: As `Searcher.search`.
  package func next() throws -> (events: [Event], result: SearchResult) {
    let result = try search()
    let token = result.index.answersAt
    isBehind = !result.index.isOfThisStore || result.index.isNewest == false
    let now = Dictionary(result.hits.map { ($0.identifier, $0) }) { first, _ in first }
    defer { hits = now }
    guard let before = hits else { return (result.hits.map { Event(kind: .match, hit: $0, token: token) }, result) }
    let left = before.filter { now[$0.key] == nil }.values.sorted { $0.identifier.short < $1.identifier.short }
    let others = result.hits.compactMap { hit in
      ResultChange(from: before[hit.identifier], to: hit) { $0.hasSameContent(as: $1) }
        .map { Event(kind: $0, hit: hit, token: token) }
    }
    return (left.map { Event(kind: .leave, hit: $0, token: token) } + others, result)
  }

  private func search() throws -> SearchResult {
    if searcher.isOutdated { searcher = try open() }
    do {
      version = try searcher.version()
      return try searcher.search(request)
    } catch let error as StoreError where error.asksForOpening {
      searcher = try open()
      version = try searcher.version()
      return try searcher.search(request)
    }
  }

  /// Waits until another process has saved since the last search.
  ///
  /// - Returns: Whether to search again: it has, or the last answer did not include all saves. false after a second
  ///   without a save, or at a stop signal.
  package func wait(_ waiter: ChangeWaiter) throws -> Bool {
    try searcher.wait(waiter, since: version)
    return try isBehind || searcher.hasChanged(since: version)
  }
}

extension LiveSearch {
  /// Whether a search that already has a result waits and tries again: the store or the index is missing while it is
  /// replaced, or cannot be read for another reason that may pass.
  package static func passes(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.passesByItself || error.code == .replaced
    case let error as IndexError:
      [.missing, .building, .corrupt, .changed, .unreadable, .full, .limit, .other].contains(error.code)
    default: false
    }
  }
}

extension Hit {
  /// Whether a person sees the same record. Scores and freshness do not count.
  fileprivate func hasSameContent(as other: Hit) -> Bool {
    values == other.values && title == other.title && fields == other.fields && section == other.section
  }
}
