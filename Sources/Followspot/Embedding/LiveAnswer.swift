// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store
internal import Synchronization

/// The state of one iterator of `SearchUpdates`.
final class LiveAnswer: @unchecked Sendable {
  // Unchecked: the variables belong to the thread that has the turn.

  private let query: SearchQuery
  private let source: any SearchSource
  private let turn = Mutex(())
  private var live: LiveSearch?
  /// The last answer that was given.
  private var shown: SearchAnswer?
  /// Whether to search without waiting for a save.
  private var isDue = true

  init(_ query: SearchQuery, of source: any SearchSource) { (self.query, self.source) = (query, source) }

  /// The next answer that differs from the last one.
  ///
  /// - Throws: `FollowspotError`; `CancellationError`.
  func next() async throws -> SearchUpdate { try await source.work { try self.turn.withLock { _ in try self.find() } } }

  private func find() throws -> SearchUpdate {
    let source = source
    let live = try self.live ?? LiveSearch(query.request(), source.open()) { try source.open() }
    self.live = live
    // It is made by each thread, because it ends with the thread's work.
    let waiter = ChangeWaiter(storePaths: source.storePaths)
    var failure: String?
    while true {
      try StopSignal.check()
      do {
        guard try isDue || live.wait(waiter) else { continue }
        try StopSignal.check()
        isDue = true
        let (events, result) = try live.next()
        isDue = false
        failure = nil
        if let update = show(SearchAnswer(result, of: query), events) { return update }
      } catch let error where shown != nil && LiveSearch.passes(error) {
        isDue = true
        let sentence = String(describing: error)
        if failure != sentence { source.report("\(sentence); retrying until it succeeds") }
        failure = sentence
        waiter.pause()
      }
    }
  }

  /// nil if nobody sees a difference.
  private func show(_ answer: SearchAnswer, _ events: [LiveSearch.Event]) -> SearchUpdate? {
    let before = shown
    let difference = ListDifference(from: before?.hits.map(\.id) ?? [], to: answer.hits.map(\.id))
    let other = Set(events.filter { $0.kind == .change }.map(\.hit.id))
    let changed = other.isEmpty ? [] : answer.hits.indices.filter { other.contains(answer.hits[$0].id) }
    if let before, difference.isEmpty, changed.isEmpty, answer.looksLike(before) { return nil }
    shown = answer
    return SearchUpdate(
      answer: answer, isFirst: before == nil, removed: difference.removed, inserted: difference.inserted,
      moved: difference.moved, changed: changed)
  }
}

extension SearchAnswer {
  /// Whether what is shown beside the hits is the same.
  fileprivate func looksLike(_ other: SearchAnswer) -> Bool {
    (matches, isWidened, correctedQuery, nearest, facets, notes)
      == (other.matches, other.isWidened, other.correctedQuery, other.nearest, other.facets, other.notes)
      && missing == other.missing
  }
}
