// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Removes old history in short steps, but never transactions that a consumer still has to read.
package struct Purge {
  package enum Bound: Sendable {
    /// Everything before this transaction.
    case before(Int64)
    /// The transactions older than so many seconds, up to the first that is younger.
    case keep(seconds: Double)
  }

  package struct Options: Sendable {
    var storePath: String
    var bound: Bound
    /// Consumers for which the purge does not wait.
    package var ignored: Set<String> = []
    /// Seconds after which a consumer is called stale.
    package var staleAfter = Consumers.staleAfter
    /// A transaction whose row stays whatever the consumers say.
    var floor: Int64?
    /// Milliseconds to wait for another writer.
    var busyMilliseconds: Int32 = 10_000

    package init(storePath: String, bound: Bound) {
      self.storePath = storePath
      self.bound = bound
    }
  }

  package struct Outcome: Sendable {
    package var removed = HistoryPurge()
    /// The number of the oldest transaction that is left; nil for an empty history.
    package var oldest: Int64?
    package var newest: Int64 = 0
    /// The slowest consumer, where more would have been removed without it.
    package var heldBy: Consumer?
    var consumers: [Consumer] = []
    /// The first transaction whose stamp lies in the future, where a purge by age stops at it.
    var futureStamp: FutureStamp?
    /// Whether the purge ran to its end; false if `goOn` ended it early.
    var isComplete = true

    /// Who holds the history back, and which consumers are not what they were: each is named.
    package var sentences: [String] {
      var sentences: [String] = []
      if let futureStamp {
        sentences.append(futureStamp.sentence + ", and it stays until it is purged by its number")
      }
      if let heldBy {
        sentences.append(
          "the history from transaction \(heldBy.holds ?? 0) on is kept for consumer '\(heldBy.name)': "
            + heldBy.statusText)
      }
      for consumer in consumers
      where consumer.name != heldBy?.name && (consumer.state != .current || consumer.reason != nil) {
        sentences.append("consumer '\(consumer.name)' is \(consumer.statusText)")
      }
      return sentences
    }
  }

  private let options: Options
  private let consumers: Consumers

  package init(_ options: Options) {
    self.options = options
    consumers = Consumers(storePath: options.storePath)
  }

  /// Counts what `run` would remove.
  package func dryRun() throws -> Outcome {
    let store = try StoreFile.open(options.storePath)
    return try store.withSnapshot {
      var outcome = Outcome()
      let bound = try bound(in: store, wanted: try wanted(in: store, &outcome), &outcome)
      outcome.removed = try HistoryPurger(store).count(before: bound)
      outcome.newest = try store.newest()
      outcome.oldest = try store.oldest().map { max($0, bound) }
      return outcome
    }
  }

  /// Purges, then gives the free pages back to the file system.
  ///
  /// - Parameter goOn: Asked between steps, each a short write transaction; false ends the purge early.
  /// - Throws: `OperationError.usage` for an ignored consumer that is not there; errors of the store.
  package func run(goOn: (PersistentStore) throws -> Bool = { _ in true }) throws -> Outcome {
    let store = try StoreFile.open(
      options.storePath, access: .readWrite, busyMilliseconds: options.busyMilliseconds)
    // Determine the bound once: beside a busy writer there is always a newer transaction.
    var outcome = Outcome()
    let wanted = try store.withSnapshot { try HistoryPurger(store).bound(try self.wanted(in: store, &outcome)) }
    if consumers.isWritable { try consumers.withLock { try consumers.refresh(in: store) } }
    repeat {
      let removed = try paced {
        try exclusively { try HistoryPurger(store).step(before: try bound(in: store, wanted: wanted, &outcome)) }
      }
      if removed.isEmpty { break }
      outcome.removed += removed
      outcome.isComplete = try goOn(store)
    } while outcome.isComplete
    while outcome.isComplete, try paced({ try HistoryPurger(store).reclaimStep() }) {
      outcome.isComplete = try goOn(store)
    }
    if !outcome.removed.isEmpty { try HistoryPurger(store).checkpoint() }
    outcome.newest = try store.newest()
    outcome.oldest = try store.oldest()
    return outcome
  }

  // MARK: Bounds

  private func wanted(in store: PersistentStore, _ outcome: inout Outcome) throws -> Int64 {
    switch options.bound {
    case .before(let number): return number
    case .keep(let seconds):
      let now = Date().timeIntervalSince1970
      outcome.futureStamp = try store.futureStamp(now: now)
      return try HistoryPurger(store).firstTransaction(notBefore: now - seconds)
    }
  }

  /// The lowest transaction to keep. It is determined again for each step, because consumers register and advance.
  private func bound(in store: PersistentStore, wanted: Int64, _ outcome: inout Outcome) throws -> Int64 {
    var bound = try HistoryPurger(store).bound(wanted)
    if let floor = options.floor { bound = min(bound, floor) }
    let all = try consumers.statuses(in: store, staleAfter: options.staleAfter)
    if outcome.removed.isEmpty {
      // Report the first result, because ignored consumers have nothing left to read afterwards.
      outcome.consumers = all
      try checkIgnored(all.map(\.name))
    }
    outcome.heldBy = nil
    for consumer in all where !options.ignored.contains(consumer.name) {
      guard let holds = consumer.holds, holds < bound else { continue }
      (bound, outcome.heldBy) = (holds, consumer)
    }
    return bound
  }

  private func checkIgnored(_ names: [String]) throws {
    guard let unknown = options.ignored.sorted().first(where: { !names.contains($0) }) else { return }
    throw OperationError(
      .usage, "there is no consumer '\(unknown)'",
      recovery: .nearestConsumer(NearestNames.of(unknown, among: names).first, insteadOf: nil))
  }

  /// Under the consumers' lock where there can be one; in a directory that cannot be written nobody registers.
  private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    guard consumers.isWritable else { return try body() }
    return try consumers.withLock(body)
  }

  /// After a step as long a pause, so that a writer that waits comes between.
  private func paced<Result>(_ step: () throws -> Result) rethrows -> Result {
    let clock = ContinuousClock()
    let begun = clock.now
    let result = try step()
    let elapsed = (clock.now - begun) / .microseconds(1)
    usleep(UInt32(min(max(elapsed, 500), 50_000)))
    return result
  }
}
