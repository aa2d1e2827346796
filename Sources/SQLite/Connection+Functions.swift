// SPDX-License-Identifier: MIT

internal import CSQLite

/// Defines SQL functions and collations on this connection. Texts are UTF-8, valid as far as their writers kept to it.
extension Connection {
  package typealias TextPredicate = (_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool
  /// Computes an integer from a text.
  package typealias TextMeasure = (_ text: UnsafeRawBufferPointer) -> Int
  /// Converts a value's bytes; nil means NULL.
  package typealias BytesConversion = (_ value: UnsafeRawBufferPointer) -> [UInt8]?
  /// Computes an integer from values; nil means NULL.
  package typealias IntegerOfValues = (_ values: [Value]) -> Int64?
  /// Observes calls with two texts.
  package typealias TextObserver = (_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Void
  /// Negative if the first text precedes the other, 0 if they are equal, positive otherwise.
  package typealias TextOrder = (_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int

  /// Defines the SQL function `name(text, other)`: 1 or 0, and NULL if either is NULL.
  package func define(function name: String, _ body: @escaping TextPredicate) throws(SQLiteError) {
    // SQLite calls the destructor, the last argument, even if it returns an error.
    let code = sqlite3_create_function_v2(
      handle, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, _, values in
        guard let context, let values, let left = values[0], let right = values[1] else { return }
        guard sqlite3_value_type(left) != SQLITE_NULL, sqlite3_value_type(right) != SQLITE_NULL else {
          return sqlite3_result_null(context)
        }
        let body: TextPredicate = Connection.content(of: sqlite3_user_data(context))
        let holds = body(Connection.text(left), Connection.text(right))
        sqlite3_result_int(context, holds ? 1 : 0)
      }, nil, nil, { Connection.release($0) })
    guard code == SQLITE_OK else { throw error(code, "defining \(name)") }
  }

  /// Defines the SQL function `name(text)`; NULL for NULL.
  package func define(measure name: String, _ body: @escaping TextMeasure) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, _, values in
        guard let context, let values, let value = values[0] else { return }
        guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
        let body: TextMeasure = Connection.content(of: sqlite3_user_data(context))
        sqlite3_result_int64(context, Int64(body(Connection.text(value))))
      }, nil, nil, { Connection.release($0) })
    guard code == SQLITE_OK else { throw error(code, "defining \(name)") }
  }

  /// Defines the SQL function `name(text, other)`, which calls `body` each time and always returns NULL.
  package func define(observer name: String, _ body: @escaping TextObserver) throws(SQLiteError) {
    // It must not be DETERMINISTIC: SQLite may call such functions only once instead of once per row.
    let code = sqlite3_create_function_v2(
      handle, name, 2, SQLITE_UTF8, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, _, values in
        guard let context, let values, let left = values[0], let right = values[1] else { return }
        let body: TextObserver = Connection.content(of: sqlite3_user_data(context))
        body(Connection.text(left), Connection.text(right))
        sqlite3_result_null(context)
      }, nil, nil, { Connection.release($0) })
    guard code == SQLITE_OK else { throw error(code, "defining \(name)") }
  }

  /// Defines the SQL function `name(value, …)` of any number of values that returns an integer; NULL for nil.
  package func define(integer name: String, _ body: @escaping IntegerOfValues) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, count, values in
        guard let context else { return }
        let body: IntegerOfValues = Connection.content(of: sqlite3_user_data(context))
        guard let number = body((0..<Int(count)).map { Connection.value(values![$0]!) }) else {
          return sqlite3_result_null(context)
        }
        sqlite3_result_int64(context, number)
      }, nil, nil, { Connection.release($0) })
    guard code == SQLITE_OK else { throw error(code, "defining \(name)") }
  }

  /// Defines the SQL function `name(value)` that returns bytes; NULL for NULL, and for nil.
  package func define(bytes name: String, _ body: @escaping BytesConversion) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, _, values in
        guard let context, let values, let value = values[0] else { return }
        let start = sqlite3_value_blob(value)
        guard start != nil else { return sqlite3_result_null(context) }
        let body: BytesConversion = Connection.content(of: sqlite3_user_data(context))
        guard let bytes = body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))) else {
          return sqlite3_result_null(context)
        }
        csqlite_result_blob(context, bytes, Int32(clamping: bytes.count))
      }, nil, nil, { Connection.release($0) })
    guard code == SQLITE_OK else { throw error(code, "defining \(name)") }
  }

  /// Defines the collation `name`. Its order must never change.
  package func define(collation name: String, _ body: @escaping TextOrder) throws(SQLiteError) {
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box,
      { box, leftCount, left, rightCount, right in
        let body: TextOrder = Connection.content(of: box)
        return Int32(
          body(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))
          ).signum())
      }, { Connection.release($0) })
    guard code == SQLITE_OK else {
      Self.release(box)
      throw error(code, "defining \(name)")
    }
  }

  /// Passes a closure through C.
  private final class Box<Content> {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  private static func content<Content>(of box: UnsafeMutableRawPointer?) -> Content {
    Unmanaged<Box<Content>>.fromOpaque(box!).takeUnretainedValue().content
  }

  private static func release(_ box: UnsafeMutableRawPointer?) {
    guard let box else { return }
    Unmanaged<AnyObject>.fromOpaque(box).release()
  }

  private static func text(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
    // The text must be read first: this converts a number, and only then its length in bytes is known.
    let start = sqlite3_value_text(value)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}
