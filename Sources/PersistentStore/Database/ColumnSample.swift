internal import SQLite

/// What some values of one column look like, and thereby which type the column gets.
struct ColumnSample {
  private var nulls = 0
  private var integers = 0
  private var reals = 0
  private var texts = 0
  private var blobs = 0
  private var dates = 0
  private var json = 0
  private var textBlobs = 0
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  /// - Parameter isJSON: The column that holds 1 where a text is a JSON array or object.
  mutating func add(_ row: Statement, _ column: Int32, isJSON: Int32) {
    switch row.storageClass(at: column) {
    case .null: nulls += 1
    case .integer:
      integers += 1
      take(Double(row.integer(at: column)))
    case .real:
      reals += 1
      take(row.double(at: column))
    case .text:
      let bytes = row.bytes(at: column)
      // An empty text says nothing: `''` is how many programs write that there is no value.
      guard !bytes.isEmpty else {
        nulls += 1
        return
      }
      texts += 1
      if DateSpelling.isDate(bytes) { dates += 1 }
      if row.integer(at: isJSON) == 1 { json += 1 }
    case .blob:
      blobs += 1
      if Self.isText(row.bytes(at: column)) { textBlobs += 1 }
    }
  }

  private mutating func take(_ number: Double) {
    guard number != 0 else { return }
    lowest = min(lowest, number)
    highest = max(highest, number)
  }

  private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.contains { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 }
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// The type of a column, and how a value of it is read.
  struct Reading {
    let type: AttributeType
    /// The SQL expression that makes a value of that type of another expression, such as a column's name.
    let expression: @Sendable (String) -> String

    static let text = Reading(type: .string) {
      "CASE typeof(\($0)) WHEN 'text' THEN \($0) WHEN 'null' THEN NULL ELSE CAST(\($0) AS TEXT) END"
    }
    static let data = Reading(type: .data) { "CASE typeof(\($0)) WHEN 'blob' THEN \($0) END" }
    static let integer = Reading(type: .integer64) { "CASE typeof(\($0)) WHEN 'integer' THEN \($0) END" }
    static let double = Reading(type: .double) { "CASE WHEN typeof(\($0)) IN ('integer', 'real') THEN \($0) END" }
    static let boolean = Reading(type: .boolean) { "CASE WHEN \($0) IN (0, 1) THEN \($0) END" }
    /// Texts that are not JSON become JSON strings.
    static let json = Reading(type: .json) {
      "CASE WHEN typeof(\($0)) = 'text' AND \($0) <> '' "
        + "THEN CAST(iif(json_valid(\($0)), \($0), json_quote(\($0))) AS BLOB) END"
    }

    static func date(_ spelling: DateSpelling) -> Reading { Reading(type: .date) { spelling.expression($0) } }
  }

  /// How the values of a column are read that looks like this.
  func reading(of column: DatabaseTable.Column) -> Reading {
    let declared = column.declaredType.uppercased()
    switch integers + reals + texts + blobs {
    case 0:
      // Nothing but the declaration tells.
      if declared.contains("BLOB") { return .data }
      return column.isInteger ? .integer : .text
    case texts where dates == texts: return .date(.text)
    case texts where json == texts: return .json
    case blobs: return textBlobs == blobs ? .text : .data
    case integers + reals:
      // Zeros are left out of the bounds.
      let isZeroOrOne = reals == 0 && (lowest == .infinity || (lowest == 1 && highest == 1))
      if declared.hasPrefix("BOOL"), isZeroOrOne { return .boolean }
      if DateSpelling.isHinted(name: column.name, declaredType: declared), highest > -.infinity,
        let spelling = DateSpelling.of(lowest: lowest, highest: highest)
      {
        return .date(spelling)
      }
      return reals == 0 ? .integer : .double
    default: return .text
    }
  }
}

extension ColumnSample {
  /// Rows of each end of a table that are looked at.
  private static let rows = 100

  /// Samples of all columns of a table, from its first and its last rows: the first ones hardly ever change.
  static func samples(of table: DatabaseTable, key: String, _ connection: Connection) throws -> [ColumnSample] {
    var samples = table.columns.map { _ in ColumnSample() }
    // Long values are cut: their beginning tells what they are.
    let names = table.columns.map { quoted($0.name) }
    let values = names.map { "CASE WHEN typeof(\($0)) IN ('text', 'blob') THEN substr(\($0), 1, 64) ELSE \($0) END" }
    let marks = names.map { "typeof(\($0)) = 'text' AND substr(\($0), 1, 1) IN ('[', '{') AND json_valid(\($0))" }
    for order in ["", " DESC"] {
      let statement = try connection.cursor(
        "SELECT \((values + marks).joined(separator: ", ")) FROM \(table.quotedName) ORDER BY \(key)\(order) LIMIT \(rows)"
      )
      while try statement.step() {
        for index in samples.indices { samples[index].add(statement, Int32(index), isJSON: Int32(index + names.count)) }
      }
    }
    return samples
  }
}
