internal import SQLite

/// Deleting history by any condition. As with a purge, names and the highest numbers ever given stay.
extension PersistentStore {
  /// Removes the transactions that meet a condition, the newest one too if it does: tokens that end at a removed
  /// transaction are worth nothing from then on. Transactions that are saved meanwhile stay.
  ///
  /// Works in short write transactions, so that other writers get their turn. A transaction's own row goes first, its
  /// changes with it or in the next steps; what an interrupted deletion left of them goes too.
  ///
  /// - Parameters:
  ///   - transactions: So many in one step at most.
  ///   - changes: So many in one step at most.
  /// - Throws: `StoreError.busy` where another writer holds the store; what is removed by then stays removed.
  @discardableResult
  package func deleteHistory(
    where condition: HistoryCondition, transactions: Int = 500, changes: Int = 5_000
  ) throws -> HistoryPurge {
    precondition(access == .readWrite, "a store that was opened for reading cannot lose its history")
    return try Self.translating(path) {
      let last = try newest()
      var removed = HistoryPurge()
      var stripped = try transactionsOfOrphans()
      var isDone = false
      while !isDone || !stripped.isEmpty {
        try connection.beginWrite()
        do {
          let numbers = isDone ? [] : try numbers(condition, through: last, limit: transactions)
          for number in numbers { try remove(transaction: number) }
          stripped += numbers
          let count = try removeChanges(of: &stripped, limit: changes)
          try connection.commit()
          removed += HistoryPurge(transactions: numbers.count, changes: count)
          isDone = numbers.count < transactions
        } catch {
          connection.rollback()
          throw error
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
    let statement = try compiling { () throws(SQLiteError) in try connection.statement(sql) }
    defer { statement.reset() }
    try condition.bind(to: statement)
    try statement.bind(last, at: next)
    try statement.bind(Int64(limit), at: next + 1)
    var found: [Int64] = []
    while try statement.step() { found.append(statement.integer(at: 0)) }
    return found
  }

  private func remove(transaction number: Int64) throws {
    let statement = try connection.statement("DELETE FROM ATRANSACTION WHERE Z_PK = ?1")
    try statement.bind(number, at: 1)
    try statement.run()
  }

  /// Removes changes of transactions whose own rows are gone, and from the list those of which none is left.
  private func removeChanges(of numbers: inout [Int64], limit: Int) throws -> Int {
    let statement = try connection.statement(
      """
      DELETE FROM ACHANGE WHERE Z_PK IN (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = ?1 LIMIT ?2)
      """)
    var removed = 0
    while let number = numbers.last, removed < limit {
      try statement.bind(number, at: 1)
      try statement.bind(Int64(limit - removed), at: 2)
      try statement.run()
      removed += connection.changedRows
      // Fewer than asked for: there are no more.
      if removed < limit { numbers.removeLast() }
    }
    return removed
  }

  /// Transactions that have changes, but no row of their own any more.
  private func transactionsOfOrphans() throws -> [Int64] {
    let statement = try connection.statement(
      """
      SELECT DISTINCT c.ZTRANSACTIONID FROM ACHANGE c
      WHERE c.ZTRANSACTIONID IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)
      """)
    defer { statement.reset() }
    var found: [Int64] = []
    while try statement.step() { found.append(statement.integer(at: 0)) }
    return found
  }
}
