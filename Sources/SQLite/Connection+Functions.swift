// SPDX-License-Identifier: MIT

internal import CSQLite

/// Defines SQL functions and collations on this connection. Texts are UTF-8, valid as far as their writers kept to it.
extension Connection {
  package typealias TextPredicate = (_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool
  /// Computes an integer from a text.
  package typealias TextMeasure = (_ text: UnsafeRawBufferPointer) -> Int
  /// Computes a floating-point number from a text; nil means NULL.
  package typealias TextNumber = (_ text: UnsafeRawBufferPointer) -> Double?
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
    try define(name, arguments: 2) { context, values in
      guard !Self.isNull(values[0]), !Self.isNull(values[1]) else { return sqlite3_result_null(context) }
      sqlite3_result_int(context, body(Self.text(values[0]), Self.text(values[1])) ? 1 : 0)
    }
  }

  /// Defines the SQL function `name(text)`; NULL for NULL.
  package func define(measure name: String, _ body: @escaping TextMeasure) throws(SQLiteError) {
    try define(name, arguments: 1) { context, values in
      guard !Self.isNull(values[0]) else { return sqlite3_result_null(context) }
      sqlite3_result_int64(context, Int64(body(Self.text(values[0]))))
    }
  }

  /// Defines the SQL function `name(text)` that returns a floating-point number; NULL for NULL, and for nil.
  package func define(number name: String, _ body: @escaping TextNumber) throws(SQLiteError) {
    try define(name, arguments: 1) { context, values in
      let number = Self.isNull(values[0]) ? nil : body(Self.text(values[0]))
      guard let number else { return sqlite3_result_null(context) }
      sqlite3_result_double(context, number)
    }
  }

  /// Defines the SQL function `name(text, other)`, which calls `body` each time and always returns NULL.
  package func define(observer name: String, _ body: @escaping TextObserver) throws(SQLiteError) {
    // SQLite may call a deterministic function only once instead of once per row.
    try define(name, arguments: 2, isDeterministic: false) { context, values in
      body(Self.text(values[0]), Self.text(values[1]))
      sqlite3_result_null(context)
    }
  }

  /// Defines the SQL function `name(value, …)` of any number of values that returns an integer; NULL for nil.
  package func define(integer name: String, _ body: @escaping IntegerOfValues) throws(SQLiteError) {
    try define(name, arguments: -1) { context, values in
      guard let number = body(values.map { Self.value($0!) }) else { return sqlite3_result_null(context) }
      sqlite3_result_int64(context, number)
    }
  }

  /// Defines the SQL function `name(value)` that returns bytes; NULL for NULL, and for nil.
  package func define(bytes name: String, _ body: @escaping BytesConversion) throws(SQLiteError) {
    try define(name, arguments: 1) { context, values in
      let start = sqlite3_value_blob(values[0])
      let value = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(values[0])))
      guard start != nil, let bytes = body(value) else { return sqlite3_result_null(context) }
      csqlite_result_blob(context, bytes, Int32(clamping: bytes.count))
    }
  }

  /// Computes the result of an SQL function from its arguments.
  typealias Function = (_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) -> Void

  /// - Parameter arguments: The number of arguments; -1 for any number.
  func define(
    _ name: String, arguments: Int32, isDeterministic: Bool = true, _ body: @escaping Function
  ) throws(SQLiteError) {
    // SQLite calls the destructor, the last argument, even if it returns an error.
    let code = sqlite3_create_function_v2(
      handle, name, arguments, SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, count, values in
        guard let context else { return }
        let body: Function = Connection.content(of: sqlite3_user_data(context))
        body(context, UnsafeBufferPointer(start: values, count: Int(count)))
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

  private static func isNull(_ value: OpaquePointer?) -> Bool { sqlite3_value_type(value) == SQLITE_NULL }

  private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    // The text must be read first: this converts a number, and only then its length in bytes is known.
    let start = sqlite3_value_text(value)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}
