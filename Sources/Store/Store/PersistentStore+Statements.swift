// SPDX-License-Identifier: MIT

internal import SQLite

/// The statements of `Connection` with the errors of a store.
extension PersistentStore {
  func mapRows<Result>(
    _ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Result
  ) throws -> [Result] {
    try Self.translating(path) { try connection.mapRows(sql, values, body) }
  }

  func firstRow<Result>(
    _ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Result
  ) throws -> Result? {
    try Self.translating(path) { try connection.firstRow(sql, values, body) }
  }

  func hasRow(_ sql: String, _ values: [Value] = []) throws -> Bool {
    try Self.translating(path) { try connection.hasRow(sql, values) }
  }

  func integer(_ sql: String, _ values: [Value] = []) throws -> Int64? {
    try Self.translating(path) { try connection.integer(sql, values) }
  }
}
