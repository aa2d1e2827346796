// SPDX-License-Identifier: MIT

internal import SQLite

/// Deletes history by any condition.
extension HistoryPurger {
  /// Deletes the transactions that meet a condition, possibly including the newest one. Tokens that refer to a deleted
  /// transaction become invalid. Transactions that are saved meanwhile stay.
  ///
  /// Works in short write transactions, so that other writers are not blocked. A transaction's own row is deleted
  /// first, and its changes with it or in the next steps. Remains of an interrupted deletion are deleted too.
  ///
  /// - Parameters:
  ///   - transactions: The maximum number of transactions per step.
  ///   - changes: The maximum number of changes per step.
  /// - Throws: `StoreError.busy` if another writer holds the store. What was deleted before stays deleted.
  @discardableResult
  package func delete(
    where condition: HistoryCondition, transactions: Int = 500, changes: Int = 5_000
  ) throws -> HistoryPurge {
    precondition(store.access == .readWrite, "a store that was opened for reading cannot lose its history")
    return try translating {
      let last = try store.newest()
      var removed = HistoryPurge()
      var stripped = try transactionsOfOrphans()
      var isDone = false
      while !isDone || !stripped.isEmpty {
        try connection.write {
          let numbers = isDone ? [] : try numbers(condition, through: last, limit: transactions)
          for number in numbers {
            try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(number)])
          }
          stripped += numbers
          let count = try removeChanges(of: &stripped, limit: changes)
          removed += HistoryPurge(transactions: numbers.count, changes: count)
          isDone = numbers.count < transactions
        }
      }
      return removed
    }
  }

  private func numbers(_ condition: HistoryCondition, through last: Int64, limit: Int) throws -> [Int64] {
    let next = condition.nextParameter
    let sql = """
      SELECT t.Z_PK FROM \(HistoryCondition.tables)
      WHERE t.Z_PK <= ?\(next) AND (\(condition.sql)) ORDER BY t.Z_PK LIMIT ?\(next + 1)
      """
    let statement = try store.compiling { () throws(SQLiteError) in try connection.statement(sql) }
    defer { statement.reset() }
    try statement.bind(condition.values + [.integer(last), .integer(Int64(limit))])
    var found: [Int64] = []
    while try statement.step() { found.append(statement.integer(at: 0)) }
    return found
  }

  /// Deletes changes of transactions without rows. A number is removed from the list when none of its changes is left.
  private func removeChanges(of numbers: inout [Int64], limit: Int) throws -> Int {
    var removed = 0
    while let number = numbers.last, removed < limit {
      removed += try connection.run(
        "DELETE FROM ACHANGE WHERE Z_PK IN (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = ?1 LIMIT ?2)",
        [.integer(number), .integer(Int64(limit - removed))])
      // Fewer than the limit: there are no more.
      if removed < limit { numbers.removeLast() }
    }
    return removed
  }

  /// Numbers of transactions that have changes, but no row of their own any more.
  private func transactionsOfOrphans() throws -> [Int64] {
    try connection.mapRows(
      """
      SELECT DISTINCT c.ZTRANSACTIONID FROM ACHANGE c
      WHERE c.ZTRANSACTIONID IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)
      """
    ) { $0.integer(at: 0) }
  }
}
