// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// What a purge removed, or would remove.
package struct HistoryPurge: Equatable, Sendable {
  package var transactions = 0
  package var changes = 0

  package init(transactions: Int = 0, changes: Int = 0) {
    self.transactions = transactions
    self.changes = changes
  }

  package var isEmpty: Bool { transactions == 0 && changes == 0 }

  package static func += (left: inout HistoryPurge, right: HistoryPurge) {
    left.transactions += right.transactions
    left.changes += right.changes
  }
}

/// Purges the history of a store. Names and the highest numbers ever assigned stay, so that no number is used twice.
package struct HistoryPurger {
  let store: PersistentStore
  var connection: Connection { store.connection }

  package init(_ store: PersistentStore) { self.store = store }

  /// The lowest number that stays when everything before `number` is purged. The newest transaction's row always stays,
  /// so that a token at the end of the history remains valid.
  package func bound(_ number: Int64) throws -> Int64 {
    try translating {
      min(number, try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0)
    }
  }

  /// The number of the first transaction not older than `time` (seconds since 1970 UTC), or the number after the
  /// newest.
  ///
  /// It is a number, not a time: after a clock was set back, later transactions may have earlier times, and must stay.
  package func firstTransaction(notBefore time: Double) throws -> Int64 {
    try translating {
      // The plus prevents SQLite from using the index on times, so that rows are read in the order of their numbers.
      try connection.integer(
        "SELECT Z_PK FROM ATRANSACTION WHERE +ZTIMESTAMP >= ?1 ORDER BY Z_PK LIMIT 1",
        [.real(time - Epoch.secondsFrom1970To2001)]) ?? store.newest() + 1
    }
  }

  /// Counts what a purge of everything before `number` would remove.
  package func count(before number: Int64) throws -> HistoryPurge {
    try translating {
      let bound = try self.bound(number)
      return HistoryPurge(
        transactions: try rows("SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK < ?1", bound),
        changes: try rows(
          "SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID < ?1", max(bound, try store.oldest() ?? bound)))
    }
  }

  /// Removes a part of the history before `number` in one short write transaction. Call it until the result is empty.
  ///
  /// A transaction's own row is deleted first, and its changes with it or in the next steps. A concurrent reader then
  /// notices the missing number and never takes half a transaction for a whole one.
  ///
  /// - Throws: `StoreError.busy` if another writer holds the store.
  package func step(
    before number: Int64, transactions: Int = 500, changes: Int = 5_000
  ) throws -> HistoryPurge {
    precondition(store.access == .readWrite, "a store that was opened for reading cannot be purged")
    return try translating {
      try connection.write {
        try removeOldest(before: try bound(number), transactions: transactions, changes: changes)
      }
    }
  }

  private func removeOldest(before bound: Int64, transactions: Int, changes: Int) throws -> HistoryPurge {
    var removed = HistoryPurge()
    if let tables = store.tables {
      // In a change log, each change is a transaction.
      let count = try tables.purgeLog(before: bound, limit: transactions)
      return HistoryPurge(transactions: count, changes: count)
    }
    removed.transactions = try connection.run(
      "DELETE FROM ATRANSACTION WHERE Z_PK IN (SELECT Z_PK FROM ATRANSACTION WHERE Z_PK < ?1 ORDER BY Z_PK LIMIT ?2)",
      [.integer(bound), .integer(Int64(transactions))])
    // This also deletes the remains of an interrupted purge.
    let first = try store.oldest() ?? bound
    removed.changes = try connection.run(
      """
      DELETE FROM ACHANGE WHERE Z_PK IN
      (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID < ?1 ORDER BY ZTRANSACTIONID LIMIT ?2)
      """, [.integer(first), .integer(Int64(changes))])
    return removed
  }

  /// Returns up to `pages` free pages to the file system in one short write transaction. The result is false if none is
  /// left, or if the store was created without `auto_vacuum = INCREMENTAL`.
  package func reclaimStep(pages: Int = 256) throws -> Bool {
    try translating {
      guard try connection.integer("PRAGMA auto_vacuum") == 2 else { return false }
      let before = try connection.integer("PRAGMA freelist_count") ?? 0
      guard before > 0 else { return false }
      try connection.execute("PRAGMA incremental_vacuum(\(pages))")
      return try connection.integer("PRAGMA freelist_count") ?? 0 < before
    }
  }

  /// Copies frames of the write-ahead log to the main file, without waiting for readers.
  package func checkpoint() throws { try translating { try connection.checkpoint() } }

  private func rows(_ sql: String, _ bound: Int64) throws -> Int {
    Int(try connection.integer(sql, [.integer(bound)]) ?? 0)
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    try PersistentStore.translating(store.path, body)
  }
}
