// SPDX-License-Identifier: MIT

/// Runs statements whose text recurs. Each is prepared once, so that `body` must not run a statement with the same text.
extension Connection {
  /// Calls `body` with each row.
  ///
  /// - Parameter values: The values of the parameters `?1`, `?2`, ….
  package func eachRow(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Void) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement) }
  }

  /// What `body` makes of each row.
  package func mapRows<Result>(
    _ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try eachRow(sql, values) { results.append(try body($0)) }
    return results
  }

  /// What `body` makes of the first row; nil if there is none.
  package func firstRow<Result>(
    _ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Result
  ) throws -> Result? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? body(statement) : nil
  }

  /// Whether the statement has a row.
  package func hasRow(_ sql: String, _ values: [Value] = []) throws -> Bool {
    try firstRow(sql, values) { _ in } != nil
  }

  /// Runs `body` in a write transaction, which is rolled back if `body` throws.
  package func write<Result>(_ body: () throws -> Result) throws -> Result {
    try beginWrite()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Runs a statement without rows.
  ///
  /// - Returns: The number of rows that it changed.
  @discardableResult
  package func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    try statement.bind(values)
    try statement.run()
    return changedRows
  }
}
