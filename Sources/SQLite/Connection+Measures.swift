internal import CSQLite

extension Connection {
  /// A whole number that is found out from a text.
  package typealias TextMeasure = (_ text: UnsafeRawBufferPointer) -> Int

  /// Makes `name(text)` a function of SQL, NULL for NULL.
  package func define(measure name: String, _ body: @escaping TextMeasure) throws(SQLiteError) {
    // SQLite calls the last one also where it refuses.
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, Unmanaged.passRetained(Measure(body: body)).toOpaque(),
      { context, _, values in
        guard let context, let values, let value = values[0] else { return }
        guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
        let measure = Unmanaged<Measure>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        // The text first: a number becomes one by it, and only then has it bytes.
        let start = sqlite3_value_text(value)
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        sqlite3_result_int64(context, Int64(measure.body(bytes)))
      }, nil, nil, { if let box = $0 { Unmanaged<Measure>.fromOpaque(box).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle, operation: "defining \(name)") }
  }

  /// Carries a closure through C.
  private final class Measure {
    let body: TextMeasure
    init(body: @escaping TextMeasure) { self.body = body }
  }
}
