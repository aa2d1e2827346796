// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// Which transactions a purge removes.
public enum PurgeBound: Hashable, Sendable {
  /// The transactions before the one with this number.
  case before(Int64)
  /// The transactions older than a time, up to the first that is younger.
  case keeping(Duration)
}

/// What a purge has removed from the history.
public struct HistoryPurgeReport: Sendable {
  /// The number of removed transactions.
  public let transactions: Int
  /// The number of their changes.
  public let changes: Int
  /// The oldest transaction that is left; nil for an empty history.
  public let oldest: Int64?
  /// The newest transaction.
  public let newest: Int64
  /// The slowest consumer, if more would have been removed without it.
  public let heldBy: HistoryConsumer?
  /// Sentences about consumers and the clock.
  public let notes: [String]
}

extension StoreIndex {
  /// Removes old transactions from the store's history, but never those that a consumer has not read.
  ///
  /// - Parameters:
  ///   - bound: Which transactions are removed. The newest one always stays.
  ///   - ignored: Names of consumers for which the purge does not wait.
  ///   - isDryRun: Whether transactions are only counted.
  /// - Throws: `FollowspotError`: `.usage` for an ignored consumer that does not exist. A cancellation keeps what was done.
  @discardableResult
  public func purgeHistory(
    _ bound: PurgeBound, ignoring ignored: Set<String> = [], isDryRun: Bool = false
  ) async throws -> HistoryPurgeReport {
    try await work {
      let wanted: Purge.Bound =
        switch bound {
        case .before(let number): .before(number)
        case .keeping(let age): .keep(seconds: age / .seconds(1))
        }
      var options = Purge.Options(storePath: self.store.path, bound: wanted)
      options.ignored = ignored
      let purge = Purge(options)
      let outcome = isDryRun ? try purge.dryRun() : try purge.run { _ in !StopSignal.isRaised }
      if !isDryRun { try StopSignal.check() }
      return HistoryPurgeReport(outcome)
    }
  }

  /// The readers of the history, for which a purge waits. An index registers itself.
  public func consumers() async throws -> [HistoryConsumer] {
    try await work {
      let store = try StoreFile.open(self.store.path)
      return try store.withSnapshot {
        try Consumers(storePath: self.store.path).statuses(in: store).map(HistoryConsumer.init)
      }
    }
  }

  /// Removes a consumer, so that no purge waits for it.
  ///
  /// - Parameter name: The name of the consumer.
  /// - Throws: `FollowspotError`: `.usage` if there is no such consumer, `.locked` while it reads changes.
  public func removeConsumer(_ name: String) async throws {
    try await work { try Consumers(storePath: self.store.path).drop(name) }
  }
}

extension HistoryPurgeReport {
  fileprivate init(_ outcome: Purge.Outcome) {
    (transactions, changes) = (outcome.removed.transactions, outcome.removed.changes)
    (oldest, newest) = (outcome.oldest, outcome.newest)
    heldBy = outcome.heldBy.map(HistoryConsumer.init)
    notes = outcome.sentences
  }
}
