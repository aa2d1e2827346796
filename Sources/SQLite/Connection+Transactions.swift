// SPDX-License-Identifier: MIT

internal import CSQLite

/// Transactions, and nested ones inside an outer transaction.
extension Connection {
  /// How a transaction ended.
  package enum End: Sendable {
    case committed, rolledBack
    /// The commit failed. It may turn out to have taken effect when the file is opened again.
    case unknown
  }

  /// An outer transaction, whose nested transactions are savepoints.
  struct OuterTransaction {
    var isNestedOpen = false
    var listeners: [(End) -> Void] = []
  }

  package func beginRead() throws(SQLiteError) { try begin("BEGIN") }
  package func beginWrite() throws(SQLiteError) { try begin("BEGIN IMMEDIATE") }

  /// Begins a write transaction without waiting. Returns false if another connection is writing.
  package func beginWriteIfFree() throws(SQLiteError) -> Bool {
    setBusyTimeout(0)
    defer { setBusyTimeout(busyMilliseconds) }
    do {
      try beginWrite()
      return true
    } catch {
      guard error.isBusy else { throw error }
      return false
    }
  }

  private func begin(_ sql: String) throws(SQLiteError) {
    guard outer != nil else { return try execute(sql) }
    try refuseRolledBackOuter()
    try execute("SAVEPOINT \(Self.savepoint)")
    outer?.isNestedOpen = true
  }

  package func commit() throws(SQLiteError) {
    guard outer != nil else { return try execute("COMMIT") }
    try refuseRolledBackOuter()
    try execute("RELEASE \(Self.savepoint)")
    outer?.isNestedOpen = false
  }

  /// Rolls the transaction back. Does nothing if there is none.
  package func rollback() {
    guard isInTransaction else { return }
    guard let outer else {
      try? execute("ROLLBACK")
      return
    }
    guard outer.isNestedOpen else { return }
    try? execute("ROLLBACK TO \(Self.savepoint); RELEASE \(Self.savepoint)")
    self.outer?.isNestedOpen = false
  }

  /// Calls `body` when the transaction just committed is final: at once, or at the end of the outer transaction.
  package func whenFinal(_ body: @escaping (End) -> Void) {
    if outer == nil { body(.committed) } else { outer?.listeners.append(body) }
  }

  /// Runs `body` in one write transaction. Transactions that `body` begins are nested, and all of them are committed
  /// together at the end. If `body` throws, all of them are rolled back.
  package func inOneTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    precondition(outer == nil, "a nested transaction cannot contain others")
    try beginWrite()
    outer = OuterTransaction()
    var end = End.rolledBack
    defer {
      let listeners = outer?.listeners ?? []
      outer = nil
      rollback()
      for listener in listeners { listener(end) }
    }
    let result = try body()
    try refuseRolledBackOuter()
    end = .unknown
    try execute("COMMIT")
    end = .committed
    return result
  }

  private static let savepoint = "FOLLOWSPOT_NESTED"

  private var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  private func setBusyTimeout(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// After some errors, such as a full disk, SQLite itself rolls back. Later statements would be a new transaction.
  private func refuseRolledBackOuter() throws(SQLiteError) {
    guard !isInTransaction else { return }
    throw SQLiteError(
      extendedCode: SQLITE_ABORT, message: "the transaction was rolled back after an earlier error",
      operation: "going on with a transaction")
  }
}
