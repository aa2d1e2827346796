// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// Words the errors of statements that a user wrote.
struct StatementErrors {
  let sql: String
  let tables: StoreTables

  func error(_ error: SQLiteError, refused: Connection.Refusal?) -> any Error {
    if let refused { return Self.refusal(refused) }
    if error.isLimit {
      return OperationError(.usage, "the statement needs more than \(StoreStatement.mostMemory >> 20) MB of memory")
    }
    if error.isTooBig { return OperationError(.usage, "a value of the statement is larger than 256 MB") }
    let message = error.message.replacing("SQL logic error", with: "the statement failed")
    if let name = Self.name(after: "no such table: ", message) {
      return mistake(
        message, at: offset(of: name), nearest: NearestNames.of(name, among: tables.descriptions.map(\.name)))
    }
    if let name = Self.name(after: "no such column: ", message) {
      let column = String(name.split(separator: ".").last ?? "")
      let known = Set(tables.descriptions.flatMap(\.columns).map(\.name)).sorted()
      return mistake(message, at: offset(error), nearest: NearestNames.of(column, among: known))
    }
    return mistake(message, at: offset(error), nearest: [])
  }

  private func mistake(_ message: String, at offset: Int?, nearest: [String]) -> QueryError {
    QueryError(message, query: sql, offset: offset, recovery: nearest.isEmpty ? nil : .nearestNames(nearest))
  }

  private static func name(after prefix: String, _ message: String) -> String? {
    message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : nil
  }

  private func offset(_ error: SQLiteError) -> Int? {
    guard error.offset >= 0 else { return nil }
    return String(decoding: Array(sql.utf8).prefix(error.offset), as: UTF8.self).count
  }

  private func offset(of name: String) -> Int? {
    sql.firstRange(of: name).map { sql.distance(from: sql.startIndex, to: $0.lowerBound) }
  }

  static func refusal(_ refusal: Connection.Refusal) -> OperationError {
    let what =
      switch refusal {
      case .writing, .other: "the statement would change a database"
      case .attaching: "the statement would open another database file"
      case .pragma: "the statement is a PRAGMA"
      case .transaction: "the statement would begin or end a transaction"
      case .function(let name): "the function \(name) is not allowed"
      }
    return OperationError(.usage, "\(what); only SELECT, WITH, VALUES and EXPLAIN are allowed")
  }
}
