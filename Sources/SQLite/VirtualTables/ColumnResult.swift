// SPDX-License-Identifier: MIT

internal import CSQLite

/// Receives the value of a column of a virtual table.
package struct ColumnResult {
  let context: OpaquePointer

  package func null() { sqlite3_result_null(context) }
  package func integer(_ value: Int64) { sqlite3_result_int64(context, value) }
  package func real(_ value: Double) { sqlite3_result_double(context, value) }

  package func text(_ value: String) {
    var value = value
    value.withUTF8 { text(utf8: UnsafeRawBufferPointer($0)) }
  }

  package func text(utf8 bytes: UnsafeRawBufferPointer) {
    csqlite_result_text(context, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  package func value(_ value: Value) {
    switch value {
    case .null: null()
    case .integer(let number): integer(number)
    case .real(let number): real(number)
    case .text(let value): text(value)
    case .blob(let bytes): csqlite_result_blob(context, bytes, Int32(clamping: bytes.count))
    }
  }
}

extension Statement {
  /// Passes a column of the current row on as it is stored.
  package func pass(_ column: Int32, to result: ColumnResult) {
    sqlite3_result_value(result.context, sqlite3_column_value(handle, column))
  }
}
