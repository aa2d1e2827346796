// SPDX-License-Identifier: MIT

internal import CSQLite

/// A prepared SQL statement and, while it is stepped, its current row.
///
/// Columns count from 0, parameters from 1. Pointers into a row are valid until the next `step()` or `reset()`.
package final class Statement {
  package enum StorageClass: Sendable { case null, integer, real, text, blob }

  let handle: OpaquePointer
  private let connection: OpaquePointer
  private let texts = TextParameters()

  init(connection: OpaquePointer, sql: String) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw SQLiteError(code, of: connection, operation: "reading the store")
    }
    handle = prepared
    self.connection = connection
  }

  init(prepared handle: OpaquePointer, connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether the statement does not write to a database file.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }
  /// The number of its parameters.
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// Moves to the next row; false if there is none.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let failure = SQLiteError(code, of: connection, operation: "running a statement")
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// Runs a statement without rows and resets it.
  package func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Runs a statement without rows and keeps its bindings for the next run.
  package func runAgain() throws(SQLiteError) {
    while try step() {}
    sqlite3_reset(handle)
  }

  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: Parameters

  package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ value: Double, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, index, value))
  }

  package func bind(_ value: String, at index: Int32) throws(SQLiteError) {
    guard value.utf8.count <= Self.longest else { return try check(SQLITE_TOOBIG) }
    var value = value
    let code = value.withUTF8 { utf8 in
      texts.bind(UnsafeRawBufferPointer(utf8), to: handle, at: index)
        ?? utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(handle, index, $0.baseAddress, Int32($0.count))
        }
    }
    try check(code)
  }

  /// Binds UTF-8 bytes as text.
  package func bind(utf8 bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard bytes.count <= Self.longest else { return try check(SQLITE_TOOBIG) }
    try check(csqlite_bind_text(handle, index, start, Int32(bytes.count)))
  }

  package func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
    switch value {
    case .null: try check(sqlite3_bind_null(handle, index))
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try bind(value, at: index)
    case .text(let value): try bind(value, at: index)
    case .blob(let value):
      guard value.count <= Self.longest else { return try check(SQLITE_TOOBIG) }
      try check(value.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, Int32($0.count)) })
    }
  }

  /// Binds the first parameters.
  package func bind(_ values: [Value]) throws(SQLiteError) {
    for index in values.indices { try bind(values[index], at: Int32(index) + 1) }
  }

  // MARK: The current row

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  package func columnName(at column: Int32) -> String { String(cString: sqlite3_column_name(handle, column)) }

  package func storageClass(at column: Int32) -> StorageClass {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// The text of a column; nil for NULL.
  package func optionalText(at column: Int32) -> String? { isNull(at: column) ? nil : text(at: column) }

  package func isNull(at column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  package func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func double(at column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The bytes of a text (UTF-8) or blob column, not copied.
  package func bytes(at column: Int32) -> UnsafeRawBufferPointer {
    let found = sqlite3_column_value(handle, column)
    return sqlite3_value_type(found) == SQLITE_TEXT ? Self.text(found) : Self.blob(found)
  }

  package func text(at column: Int32) -> String { String(decoding: bytes(at: column), as: UTF8.self) }

  /// The column's value. SQLite looks the column up once, which takes half of the time of reading a short value.
  ///
  /// `sqlite3_column_value` gives an unprotected value. It is read here because connections have no mutex
  /// (`SQLITE_OPEN_NOMUTEX`), and then both kinds are the same.
  package func value(at column: Int32) -> Value {
    let found = sqlite3_column_value(handle, column)
    return switch sqlite3_value_type(found) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(found))
    case SQLITE_FLOAT: .real(sqlite3_value_double(found))
    case SQLITE_TEXT: .text(String(decoding: Self.text(found), as: UTF8.self))
    case SQLITE_BLOB: .blob(Array(Self.blob(found)))
    default: .null
    }
  }

  /// The values of the first columns.
  package func values(_ count: Int) -> [Value] { (0..<Int32(count)).map { value(at: $0) } }

  private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = UnsafeRawPointer(sqlite3_value_text(value))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  private static func blob(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  /// The maximum size of a value in bytes: SQLite's default limit.
  private static let longest = 1_000_000_000

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(code, of: connection, operation: "binding a value")
    }
  }
}
