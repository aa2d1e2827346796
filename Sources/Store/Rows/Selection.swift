// SPDX-License-Identifier: MIT

package import SQLite

package final class Selection {
  /// The current row. It and its pointers are valid until the next call of `next()`.
  package let row: Statement
  private let sql: String
  private let store: PersistentStore

  fileprivate init(_ store: PersistentStore, _ sql: String, _ values: [Value]) throws {
    self.store = store
    self.sql = sql
    row = try store.compiling { () throws(SQLiteError) in try store.connection.borrow(sql) }
    try row.bind(values)
  }

  deinit { store.connection.giveBack(row, sql) }

  /// Moves to the next row; false if there is none.
  ///
  /// - Throws: `StoreError`.
  package func next() throws -> Bool {
    do { return try row.step() } catch { throw StoreError(error, path: store.path) }
  }
}

extension PersistentStore {
  /// Runs a SELECT statement and keeps it prepared. Tables and columns are the quoted names of the layouts.
  ///
  /// - Parameter values: The values of the parameters `?1`, `?2`, ….
  /// - Throws: `StoreError`, among others `.notCompiled` if SQLite does not accept the text.
  package func select(_ sql: String, _ values: [Value] = []) throws -> Selection {
    try Self.translating(path) { try Selection(self, sql, values) }
  }

  /// Prepares a statement that contains the caller's SQL.
  ///
  /// - Throws: `StoreError.notCompiled` if SQLite does not accept the text.
  func compiling(_ body: () throws(SQLiteError) -> Statement) throws -> Statement {
    do { return try body() } catch {
      guard error.isStatementError || error.isTooBig else { throw error }
      throw StoreError(.notCompiled, "SQLite rejected a statement on \(path)", cause: error)
    }
  }
}
