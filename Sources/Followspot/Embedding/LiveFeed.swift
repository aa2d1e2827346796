// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store
internal import Synchronization

/// The state of one iterator of `RecordChanges`.
final class LiveFeed: @unchecked Sendable {
  // Unchecked: the variables belong to the thread that has the turn.

  private let changes: RecordChanges
  private let turn = Mutex(())
  private var feed: ChangeFeed?
  /// Held as long as the iterator.
  private var lock: FileLock?
  private var position: FeedPosition?
  private var place: ChangeFeed.RecordPlace?
  /// What was read and not given yet, the next one last.
  private var read: [RecordChange] = []
  private var hasMore = true

  /// The number of changes that are read at a time.
  private static let batch = 256

  init(_ changes: RecordChanges) { self.changes = changes }

  /// The next change; nil after the newest one if the sequence does not follow.
  ///
  /// - Throws: `FollowspotError`; `CancellationError`.
  func next() async throws -> RecordChange? {
    try Task.checkCancellation()
    if let known = turn.withLock({ _ in read.popLast() }) { return known }
    return try await changes.index.work { try self.turn.withLock { _ in try self.find() } }
  }

  private func find() throws -> RecordChange? {
    let feed = try self.feed ?? open()
    let waiter = ChangeWaiter(storePath: changes.index.store.path)
    var failure: String?
    while true {
      try StopSignal.check()
      do {
        if !hasMore {
          guard changes.follows else { return nil }
          try waiter.wait(for: [feed.state])
          try StopSignal.check()
        }
        try readBatch(feed)
        failure = nil
        if let found = read.popLast() { return found }
      } catch let error as StoreError where error.passesByItself && changes.follows && position != nil {
        if failure != error.description { changes.index.report("\(error); retrying until it succeeds") }
        failure = error.description
        waiter.pause()
      }
    }
  }

  private func open() throws -> ChangeFeed {
    let index = changes.index
    let feed = try ChangeFeed(
      storePath: index.store.path, directory: index.indexDirectory,
      filter: ChangeFeed.Filter(kind: changes.kind, author: changes.author))
    switch changes.start {
    case .position(let start): position = start?.position
    case .consumer(let name):
      lock = try feed.lock(consumer: name)
      position = try feed.position(ofConsumer: name)
    }
    self.feed = feed
    return feed
  }

  private func readBatch(_ feed: ChangeFeed) throws {
    var found: [RecordChange] = []
    if let position {
      let reached = try feed.changes(after: position, limit: Self.batch) { event, _ in found.append(RecordChange(event))
      }
      (self.position, hasMore) = (reached.position, reached.hasMore)
    } else {
      let place = try feed.records(after: place, limit: Self.batch) { event, _ in found.append(RecordChange(event)) }
      if place.isAtEnd { position = place.position } else { self.place = place }
      hasMore = true
    }
    read = found.reversed()
  }
}
