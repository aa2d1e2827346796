// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store
internal import Synchronization

/// The state of one iterator of `SearchEvents`.
final class LiveEvents: @unchecked Sendable {
  // Unchecked: the variables belong to the thread that has the turn.

  private let events: SearchEvents
  private let turn = Mutex(())
  private var searcher: Searcher?
  private var watch: SavedWatch?
  /// What was read and not given yet, the next one last.
  private var read: [SearchEvent] = []
  /// The last event that was given.
  private var given: Int64?
  /// When a search that can change without a save is evaluated again.
  private var due = ContinuousClock.now

  /// The number of events that are read at a time.
  private static let batch = 256
  /// The time between two evaluations of a search that depends on the clock.
  private static let pause = Duration.seconds(60)

  init(_ events: SearchEvents) { self.events = events }

  /// The next event; nil after the newest one if the sequence does not follow.
  ///
  /// - Throws: `FollowspotError`; `CancellationError`.
  func next() async throws -> SearchEvent? {
    try await events.index.work {
      try self.turn.withLock { _ in
        let event = try self.find()
        self.given = event?.number
        return event
      }
    }
  }

  private func find() throws -> SearchEvent? {
    let watch = try self.watch ?? open()
    if let given { try watch.forget(through: given) }
    given = nil
    let waiter = ChangeWaiter(storePath: events.index.store.path)
    var said: String?
    while true {
      try StopSignal.check()
      if read.isEmpty { read = try watch.pending(limit: Self.batch).map(SearchEvent.init).reversed() }
      if let event = read.popLast() { return event }
      do {
        let searcher = try self.present()
        let version = try searcher.version()
        let isDue = ContinuousClock.now >= due
        let progress = try watch.step(isDue: isDue)
        if isDue { due = .now + Self.pause }
        said = nil
        if case .more = progress { continue }
        if try !watch.pending(limit: 1).isEmpty { continue }
        try watch.register()
        if case .waiting(let reason) = progress, !events.follows {
          throw OperationError(
            .stale, "the saved search '\(events.name)' cannot be evaluated: \(reason)", recovery: .updateOrWait)
        }
        guard events.follows else { return nil }
        try wait(waiter, searcher, version, isBehind: progress != .current)
      } catch let error as StoreError where error.asksForOpening {
        searcher = nil
      } catch let error where events.follows && watch.token != nil && LiveSearch.passes(error) {
        searcher = nil
        let sentence = String(describing: error)
        if said != sentence { events.index.report("\(sentence); retrying until it succeeds") }
        said = sentence
        waiter.pause()
      }
    }
  }

  /// Waits until another process has saved, until the search is due, or, if the index is behind, for a second at most.
  private func wait(_ waiter: ChangeWaiter, _ searcher: Searcher, _ version: DataVersion, isBehind: Bool) throws {
    while !StopSignal.isRaised {
      if watch?.movesByItself == true, ContinuousClock.now >= due { return }
      try waiter.wait(for: [(searcher.store, version)])
      if try isBehind || searcher.hasChanged(since: version) { return }
    }
  }

  private func present() throws -> Searcher {
    if let searcher, !searcher.isOutdated { return searcher }
    let opened = try events.index.open()
    searcher = opened
    return opened
  }

  private func open() throws -> SavedWatch {
    let index = events.index
    let search = try SavedSearches(directory: index.indexDirectory).search(named: events.name)
    let opened = try SavedWatch(
      search, in: index.indexDirectory, showsInitial: events.startsWithResult, report: index.report
    ) { [unowned self] in try self.present() }
    watch = opened
    return opened
  }
}
