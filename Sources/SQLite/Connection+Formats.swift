// SPDX-License-Identifier: MIT

internal import CSQLite

/// The SQL functions `printf` and `format`. Those of SQLite return NULL if the result exceeds the maximum length.
extension Connection {
  /// Replaces `printf` and `format` by functions that fail if the result exceeds the maximum length.
  package func refuseLongFormats() throws(SQLiteError) {
    let formatter = Formatter(
      try Connection(path: ":memory:", access: .create), longest: sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1))
    for name in ["printf", "format"] {
      try define(name, arguments: -1) { context, values in formatter.format(values, for: context) }
    }
  }
}

/// Calls SQLite's own function on another connection.
private final class Formatter {
  private let connection: Connection

  init(_ connection: Connection, longest: Int32) {
    self.connection = connection
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, longest)
  }

  func format(_ values: UnsafeBufferPointer<OpaquePointer?>, for context: OpaquePointer) {
    guard let first = values.first, sqlite3_value_type(first) != SQLITE_NULL else {
      return sqlite3_result_null(context)
    }
    do {
      // NULL is also the result of a format without any text. With a letter before it, NULL can only be an error.
      let marked = try call("'x' || ?1", values)
      defer { marked.reset() }
      guard !marked.isNull(at: 0) else { return sqlite3_result_error_toobig(context) }
      let text = UnsafeRawBufferPointer(rebasing: marked.bytes(at: 0).dropFirst())
      guard text.isEmpty else { return csqlite_result_text(context, text.baseAddress, Int32(clamping: text.count)) }
      let plain = try call("?1", values)
      defer { plain.reset() }
      sqlite3_result_value(context, sqlite3_column_value(plain.handle, 0))
    } catch let error as SQLiteError {
      sqlite3_result_error_code(context, error.extendedCode)
    } catch {
      sqlite3_result_error_code(context, SQLITE_ERROR)
    }
  }

  /// The statement at its only row, which has the formatted text.
  private func call(_ format: String, _ values: UnsafeBufferPointer<OpaquePointer?>) throws -> Statement {
    let arguments = [format] + (1..<values.count).map { "?\($0 + 1)" }
    let statement = try connection.statement("SELECT printf(\(arguments.joined(separator: ", ")))")
    for (index, value) in values.enumerated() {
      let code = sqlite3_bind_value(statement.handle, Int32(index + 1), value)
      guard code == SQLITE_OK else { throw connection.error(code, "binding a value") }
    }
    _ = try statement.step()
    return statement
  }
}
