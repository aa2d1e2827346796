// SPDX-License-Identifier: MIT

internal import SQLite

/// Statistics of some values of one column, from which its reading is inferred.
struct ColumnSample {
  private var nulls = 0
  private var integers = 0
  private var reals = 0
  private var texts = 0
  private var blobs = 0
  private var dates = 0
  /// Texts that are 1970-01-01 at midnight, and other dates less than about ten years away from it.
  private var epochs = 0
  private var datesNearEpoch = 0
  private var compactDates = 0
  private var compactTimes = 0
  private var json = 0
  private var textBlobs = 0
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  /// Whether only NULLs and empty texts were seen.
  var isEmpty: Bool { integers + reals + texts + blobs == 0 }

  /// - Parameter isJSON: The column that is 1 if the text is a JSON array or object.
  mutating func add(_ row: Statement, _ column: Int32, isJSON: Int32) {
    switch row.storageClass(at: column) {
    case .null: nulls += 1
    case .integer:
      integers += 1
      widenBounds(to: Double(row.integer(at: column)))
    case .real:
      reals += 1
      widenBounds(to: row.double(at: column))
    case .text:
      let bytes = row.bytes(at: column)
      // Many programs write an empty text for a missing value, so it counts as NULL.
      guard !bytes.isEmpty else {
        nulls += 1
        return
      }
      texts += 1
      if DateEncoding.isDate(bytes) { addDate(bytes) }
      let compact = DateEncoding.isCompact(bytes)
      if compact.date { compactDates += 1 }
      if compact.date, compact.hasTime { compactTimes += 1 }
      if row.integer(at: isJSON) == 1 { json += 1 }
    case .blob:
      blobs += 1
      if Self.isText(row.bytes(at: column)) { textBlobs += 1 }
    }
  }

  private mutating func addDate(_ text: UnsafeRawBufferPointer) {
    dates += 1
    guard text.starts(with: "196".utf8) || text.starts(with: "197".utf8) else { return }
    let isMidnight = text.dropFirst(10).allSatisfy { !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    if text.starts(with: "1970-01-01".utf8), isMidnight { epochs += 1 } else { datesNearEpoch += 1 }
  }

  /// Whether 1970-01-01 stands for no date: several texts, and a twentieth of them or more, are it, and none is near it.
  private var hasNever: Bool { epochs > 2 && epochs * 20 >= texts && datesNearEpoch == 0 }

  /// The years 2001 to 2033 in milliseconds since 1970: no counter has as many digits, and hardly any number of goods
  /// begins with them.
  private static let timesOfKeys = 1e12..<2e12

  /// Whether the values are keys that a program took from the clock.
  var areTimesOfKeys: Bool {
    integers > 1 && reals + texts + blobs == 0 && Self.timesOfKeys.contains(lowest)
      && Self.timesOfKeys.contains(highest)
  }

  private mutating func widenBounds(to number: Double) {
    guard number != 0, number != -1 else { return }
    lowest = min(lowest, number)
    highest = max(highest, number)
  }

  private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.contains { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 }
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// The reading that fits these values.
  func reading(of column: DatabaseTable.Column) -> ColumnReading {
    let declared = column.declaredType.uppercased()
    switch integers + reals + texts + blobs {
    case 0: return .declared(column)
    case texts where dates == texts: return .date(hasNever ? .textOrNever : .text)
    case texts where compactDates == texts:
      let isHinted = DateEncoding.isHinted(name: column.name, declaredType: declared)
      return compactTimes == texts || isHinted ? .date(.compact) : .text
    case texts where json == texts: return .json
    case blobs: return textBlobs == blobs ? .text : .data
    case integers + reals:
      // The bounds do not include 0 and -1.
      let isZeroOrOne = reals == 0 && (lowest == .infinity || (lowest == 1 && highest == 1))
      if declared.hasPrefix("BOOL"), isZeroOrOne { return .boolean }
      if DateEncoding.isHinted(name: column.name, declaredType: declared), highest > -.infinity,
        let encoding = DateEncoding.of(lowest: lowest, highest: highest)
      {
        return .date(encoding)
      }
      return reals == 0 ? .integer : .double
    default: return .text
    }
  }
}

extension ColumnSample {
  /// The number of rows sampled at each end of a table.
  private static let rows = 100

  /// Samples columns of a table. The first and the last rows are read, because the first ones hardly ever change.
  ///
  /// - Parameter isWhole: Whether all rows are read.
  static func samples(
    of columns: [DatabaseTable.Column], in table: DatabaseTable, isWhole: Bool, _ connection: Connection
  ) throws -> [ColumnSample] {
    var samples = columns.map { _ in ColumnSample() }
    guard !columns.isEmpty else { return [] }
    // The first 64 characters of a value are enough to classify it.
    let names = columns.map { quoted($0.name) }
    let values = names.map { "CASE WHEN typeof(\($0)) IN ('text', 'blob') THEN substr(\($0), 1, 64) ELSE \($0) END" }
    let marks = names.map { "typeof(\($0)) = 'text' AND substr(\($0), 1, 1) IN ('[', '{') AND json_valid(\($0))" }
    let select = "SELECT \((values + marks).joined(separator: ", ")) FROM \(table.quotedName)"
    let ends = [false, true].map { " ORDER BY \(table.order(isDescending: $0)) LIMIT \(rows)" }
    for end in isWhole ? [""] : ends {
      let statement = try connection.cursor(select + end)
      var read = 0
      while try statement.step() {
        read += 1
        for index in samples.indices { samples[index].add(statement, Int32(index), isJSON: Int32(index + names.count)) }
      }
      // The other end has the same rows.
      if read < rows { break }
    }
    return samples
  }
}
