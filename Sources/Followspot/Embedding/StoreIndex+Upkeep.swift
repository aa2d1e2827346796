// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex

extension StoreIndex {
  /// The state of the store and its index.
  public func status() async throws -> IndexReport {
    try await work { IndexReport(try Status(storePath: self.store.path, directory: self.indexDirectory)) }
  }

  /// Waits until the index has reached a transaction, for example beside a follower of another process.
  ///
  /// - Parameters:
  ///   - token: The transaction; nil for the newest at the time of the call.
  ///   - timeout: The longest time to wait; nil for no limit.
  /// - Returns: Whether the index has reached it.
  public func wait(for token: Int64? = nil, timeout: Duration? = nil) async throws -> Bool {
    try await work {
      let waiting = Waiting(storePath: self.store.path, directory: self.indexDirectory)
      return try waiting.run(token: token, milliseconds: timeout?.milliseconds ?? .max / 2).isReached
    }
  }

  /// Switches back to the generation of the index before the last `rebuild`. The next update continues from there.
  ///
  /// - Returns: The number of the generation that now serves; nil if there is no earlier one.
  /// - Throws: `FollowspotError`: `.locked` while a rebuild runs.
  public func rollback() async throws -> Int? {
    try await work { try Rollback.run(in: self.indexDirectory) }
  }

  /// Compares each row of the store with the index. Transactions that are not indexed yet are not differences.
  ///
  /// - Parameters:
  ///   - isQuick: Whether only digests are compared, not all words.
  ///   - repairs: Whether the index is updated and differences are repaired first; not possible while a follower runs.
  /// - Throws: `FollowspotError`: `.indexCorrupt` if only `rebuild` helps, `.locked` for a repair beside a follower.
  public func verify(isQuick: Bool = false, repairs: Bool = false) async throws -> IndexVerification {
    try await work {
      let verify = Verify(storePath: self.store.path, directory: self.indexDirectory)
      let repair = repairs ? try verify.repair() : nil
      return IndexVerification(try verify.run(isQuick: isQuick), repair)
    }
  }

  /// Removes the index from the disk, with its saved searches. The store is not touched.
  ///
  /// - Throws: `FollowspotError`: `.locked` while a follower, a rebuild or a watcher of a saved search runs.
  public func remove() async throws {
    try await work {
      self.forgetSearcher()
      let directory = self.indexDirectory
      guard directory.exists else { return }
      // This throws if the directory belongs to another program.
      _ = try directory.serving()
      let locks = [
        try FileLock(.update, in: directory, verb: "remove"), try FileLock(.rebuild, in: directory, verb: "remove"),
      ]
      if let holder = FileLock.holder(.served, in: directory) {
        throw OperationError(.locked, "the index \(directory.path) is served by process \(holder.pid)")
      }
      try withExtendedLifetime(locks) {
        let saved = SavedSearches(directory: directory)
        for search in try saved.list() { try saved.remove(search.name, storePath: self.store.path) }
        Consumers(storePath: self.store.path).forget(directory)
        directory.remove()
      }
    }
  }
}

/// What a comparison of the index with its store found.
public struct IndexVerification: Sendable {
  /// What a repair has changed.
  public struct Repair: Hashable, Sendable {
    /// The number of documents that were added.
    public let added: Int
    /// The number of documents that were replaced.
    public let updated: Int
    /// The number of documents that were removed.
    public let removed: Int
  }

  /// Whether the index equals the store.
  public let isEqual: Bool
  /// The objects that the index lacks, such as `Film/p12`.
  public let missing: [String]
  /// The objects that only the index has.
  public let extra: [String]
  /// The objects whose document is not that of their row.
  public let stale: [String]
  /// Whether a document is not what was written. Only a rebuild repairs that.
  public let isDamaged: Bool
  /// The number of documents.
  public let documents: Int
  /// The newest indexed transaction.
  public let token: Int64
  /// The order-independent checksum of all documents.
  public let checksum: String
  /// Sentences about rows that are left out of the index, which are not differences.
  public let notes: [String]
  /// What the repair has changed; nil without one.
  public let repair: Repair?
}

extension IndexVerification {
  fileprivate init(_ outcome: Verify.Outcome, _ repaired: IndexState.Reconciliation?) {
    (isEqual, isDamaged) = (outcome.isEqual, outcome.isDamaged)
    (missing, extra, stale) = (outcome.missing, outcome.extra, outcome.stale)
    (documents, token, checksum) = (outcome.documents, outcome.token, outcome.checksum)
    notes = outcome.leftOut.sentences()
    repair = repaired.map { Repair(added: $0.added, updated: $0.updated, removed: $0.removed) }
  }
}
