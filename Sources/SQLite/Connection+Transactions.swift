internal import CSQLite

/// Transactions, and parts of a larger one.
extension Connection {
  /// How a transaction ended.
  package enum End: Sendable {
    case committed, rolledBack
    /// The commit failed: it may be there all the same when the file is opened again.
    case unknown
  }

  /// A transaction whose parts are savepoints.
  struct Whole {
    var isInPart = false
    var listeners: [(End) -> Void] = []
  }

  package func beginRead() throws(SQLiteError) { try begin("BEGIN") }
  package func beginWrite() throws(SQLiteError) { try begin("BEGIN IMMEDIATE") }

  /// Begins to write unless another connection is writing; nothing is waited for.
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
    guard whole != nil else { return try execute(sql) }
    try refuseLostWhole()
    try execute("SAVEPOINT \(Self.part)")
    whole?.isInPart = true
  }

  package func commit() throws(SQLiteError) {
    guard whole != nil else { return try execute("COMMIT") }
    try refuseLostWhole()
    try execute("RELEASE \(Self.part)")
    whole?.isInPart = false
  }

  /// Ends the transaction without its changes; harmless where there is none.
  package func rollback() {
    guard isInTransaction else { return }
    guard let whole else {
      try? execute("ROLLBACK")
      return
    }
    guard whole.isInPart else { return }
    try? execute("ROLLBACK TO \(Self.part); RELEASE \(Self.part)")
    self.whole?.isInPart = false
  }

  /// Calls `body` when what was just committed is final: at once, or at the end of the whole that it is a part of.
  package func whenFinal(_ body: @escaping (End) -> Void) {
    if whole == nil { body(.committed) } else { whole?.listeners.append(body) }
  }

  /// Runs `body` in one write transaction: those that it begins are parts, and all of them are committed together at
  /// the end. If `body` throws, nothing of them stays.
  package func together<Result>(_ body: () throws -> Result) throws -> Result {
    precondition(whole == nil, "a transaction has parts, and parts have none")
    try beginWrite()
    whole = Whole()
    var end = End.rolledBack
    defer {
      let listeners = whole?.listeners ?? []
      whole = nil
      rollback()
      for listener in listeners { listener(end) }
    }
    let result = try body()
    try refuseLostWhole()
    end = .unknown
    try execute("COMMIT")
    end = .committed
    return result
  }

  private static let part = "FOLLOWSPOT_PART"

  private var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  private func setBusyTimeout(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// After some errors, a full disk among them, SQLite itself rolls back. What follows would be a transaction of its
  /// own.
  private func refuseLostWhole() throws(SQLiteError) {
    guard !isInTransaction else { return }
    throw SQLiteError(
      extendedCode: SQLITE_ABORT, message: "the transaction was rolled back after an earlier error",
      operation: "going on with a transaction")
  }
}
