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

/// Purging by number. Only ATRANSACTION and ACHANGE lose rows: names and the highest numbers ever given stay, so that
/// no number is used twice.
extension PersistentStore {
  /// The lowest number that stays when everything before `number` is purged: the newest transaction's row always does,
  /// so that a token at the history's end keeps its worth.
  package func purgeBound(_ number: Int64) throws -> Int64 {
    try Self.translating(path) {
      min(number, try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0)
    }
  }

  /// The number of the first transaction that is not older than `time`, in seconds since 1970 UTC; where all are
  /// older, the number after the newest.
  ///
  /// By number, not by time alone: after a clock was set back a later transaction may carry an earlier time, and it
  /// stays.
  package func firstTransaction(notBefore time: Double) throws -> Int64 {
    try Self.translating(path) {
      // The plus keeps the index on times out: rows are read in the order of their numbers.
      let statement = try connection.statement(
        "SELECT Z_PK FROM ATRANSACTION WHERE +ZTIMESTAMP >= ?1 ORDER BY Z_PK LIMIT 1")
      defer { statement.reset() }
      try statement.bind(time - HistoryTransaction.secondsFrom1970To2001, at: 1)
      return try statement.step() ? statement.integer(at: 0) : try newest() + 1
    }
  }

  /// What purging everything before `number` would remove.
  package func countHistory(before number: Int64) throws -> HistoryPurge {
    try Self.translating(path) {
      let bound = try purgeBound(number)
      return HistoryPurge(
        transactions: try count("SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK < ?1", bound),
        changes: try count("SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID < ?1", max(bound, try oldest() ?? bound)))
    }
  }

  /// Removes some of the history before `number` in one short write transaction; call it until the result is empty.
  ///
  /// A transaction's own row goes first, its changes with it or in the next steps: whoever reads meanwhile misses a
  /// number and knows, and never takes half a transaction for a whole one.
  ///
  /// - Throws: `StoreError.busy` if another writer holds the store.
  package func purgeStep(
    before number: Int64, transactions: Int = 500, changes: Int = 5_000
  ) throws -> HistoryPurge {
    precondition(access == .readWrite, "a store that was opened for reading cannot be purged")
    return try Self.translating(path) {
      try connection.beginWrite()
      do {
        let removed = try removeOldest(before: try purgeBound(number), transactions: transactions, changes: changes)
        if removed.isEmpty { connection.rollback() } else { try connection.commit() }
        return removed
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  private func removeOldest(before bound: Int64, transactions: Int, changes: Int) throws -> HistoryPurge {
    var removed = HistoryPurge()
    guard tracking != .attached else { return try removeOldestOfLog(before: bound, limit: transactions) }
    let own = try connection.statement(
      """
      DELETE FROM ATRANSACTION WHERE Z_PK IN
      (SELECT Z_PK FROM ATRANSACTION WHERE Z_PK < ?1 ORDER BY Z_PK LIMIT ?2)
      """)
    try own.bind(bound, at: 1)
    try own.bind(Int64(transactions), at: 2)
    try own.run()
    removed.transactions = connection.changedRows
    // Also what an interrupted purge left.
    let first = try oldest() ?? bound
    let theirs = try connection.statement(
      """
      DELETE FROM ACHANGE WHERE Z_PK IN
      (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID < ?1 ORDER BY ZTRANSACTIONID LIMIT ?2)
      """)
    try theirs.bind(first, at: 1)
    try theirs.bind(Int64(changes), at: 2)
    try theirs.run()
    removed.changes = connection.changedRows
    return removed
  }

  /// The same in a change log, where each change is a transaction.
  private func removeOldestOfLog(before bound: Int64, limit: Int) throws -> HistoryPurge {
    let statement = try connection.statement(
      """
      DELETE FROM main.followspot_change WHERE number IN
      (SELECT number FROM main.followspot_change WHERE number < ?1 ORDER BY number LIMIT ?2)
      """)
    try statement.bind(bound, at: 1)
    try statement.bind(Int64(limit), at: 2)
    try statement.run()
    let removed = connection.changedRows
    // Once, at the end of a purge.
    if removed > 0, removed < limit { try forgetKeys() }
    return HistoryPurge(transactions: removed, changes: removed)
  }

  /// Removes the numbers of keys that neither a row nor the change log has any more.
  private func forgetKeys() throws {
    for source in database?.sources.values.map(\.table) ?? [] {
      guard let keys = source.keyTable, !keys.isTemporary,
        let number = database?.attachment?.table(named: source.name)?.number
      else { continue }
      try connection.execute(keys.deletingUnused(source, number: number))
    }
  }

  /// Gives up to `pages` free pages back to the file system in one short write transaction; false when none is left,
  /// or when the store keeps its free pages (it was not made with `auto_vacuum = INCREMENTAL`).
  package func reclaimStep(pages: Int = 256) throws -> Bool {
    try Self.translating(path) {
      guard try connection.integer("PRAGMA auto_vacuum") == 2 else { return false }
      let before = try connection.integer("PRAGMA freelist_count") ?? 0
      guard before > 0 else { return false }
      try connection.execute("PRAGMA incremental_vacuum(\(pages))")
      return try connection.integer("PRAGMA freelist_count") ?? 0 < before
    }
  }

  /// Brings the log into the main file as far as no reader is in the way; nobody waits for it.
  package func checkpoint() throws {
    try Self.translating(path) { _ = try connection.integer("PRAGMA wal_checkpoint(PASSIVE)") }
  }

  private func count(_ sql: String, _ bound: Int64) throws -> Int {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(bound, at: 1)
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }
}
