// SPDX-License-Identifier: MIT

internal import Base
internal import Synchronization

/// The state of one iterator of `SearchUpdates`.
final class LiveAnswer: @unchecked Sendable {
  // Unchecked: the variables belong to the thread of `answers`.

  private let query: SearchQuery
  private let answers: LiveAnswers
  private let live = LiveSearch()
  /// The last answer that was given.
  private var shown: SearchAnswer?
  private var records: Set<ChangedRecords.Record> = []
  /// Terms of which every match has at least one; nil if there are none.
  private var terms: Set<[UInt8]>?
  /// The reading that the answer covers; nil if it is to be searched in any case.
  private var covered: Int?
  /// Whether the search ran in that reading. Otherwise none of the changes concerned it.
  private var isSearched = false
  private var searched = ContinuousClock.now
  private let begun = ContinuousClock.now

  /// The time after which a search runs although no change is known to concern it.
  private static let patience = Duration.seconds(2)

  init(_ query: SearchQuery, in answers: LiveAnswers) { (self.query, self.answers) = (query, answers) }

  /// The next answer that differs from the last one.
  ///
  /// - Throws: `FollowspotError`; `CancellationError`.
  func next() async throws -> SearchUpdate { try await answers.next(of: self) }

  /// Whether the first answer was given.
  var isShown: Bool { shown != nil }

  /// Whether the answer may have changed. If not, it covers the reading.
  ///
  /// - Parameter reading: Its number, and what changed since the one before, if that is known.
  func isDue(_ reading: (number: Int, changes: ChangedRecords?)) -> Bool {
    guard let covered, reading.number - covered < 2 else { return true }
    if covered != reading.number {
      guard let terms, let changes = reading.changes, !changes.touch(records, terms) else { return true }
      (self.covered, isSearched) = (reading.number, false)
    } else if isSearched, !live.isBehind {
      return false
    }
    return .now - searched >= Self.patience
  }

  /// Searches.
  ///
  /// - Parameters:
  ///   - reading: The number of the last reading.
  ///   - readsTerms: Whether to find out which changes concern the answer. Otherwise all of them do.
  /// - Returns: nil if nobody sees a difference.
  func update(from reader: LiveReader, reading: Int, readsTerms: Bool) throws -> SearchUpdate? {
    covered = nil
    var request = try query.request()
    // All wait on one thread, so it does not wait for a transaction of one of them.
    let patience = Duration.milliseconds(request.patience)
    if request.atLeast != nil { request.patience = 0 }
    let result: SearchResult
    do { result = try reader.search(request) } catch let error as OperationError
      where error.code == .stale && request.atLeast != nil && .now - begun < patience
    {
      return nil
    }
    let update = show(SearchAnswer(result, of: query), live.events(to: result))
    if update != nil { (records, terms) = (live.records, nil) }
    if readsTerms, terms == nil { terms = (try? reader.requiredTerms(of: request)) ?? nil }
    (covered, isSearched, searched) = (reading, true, .now)
    return update
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
