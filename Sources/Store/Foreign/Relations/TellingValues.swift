// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// Columns whose values are keys of a table and cannot be so by chance: GUIDs, hashes, addresses, times in milliseconds.
/// No name has to say it.
struct TellingValues {
  /// A column and the key that contains its values, by their positions.
  struct Pair: Hashable {
    let column: Int
    let key: Int
  }

  /// The bits that a value needs, and all equal values of a column and a key together. Beside the keys of a million rows, a
  /// value of 40 bits is found by chance once in a million.
  private static let (enough, enoughTogether) = (30.0, 60.0)
  /// The number of distinct values of a column that are looked up, from both ends of its table.
  private static let mostValues = 16
  private static let rowsAtEachEnd = 50
  /// The number of keys of a table that are read.
  private static let mostKeys = 20_000

  /// - Parameters:
  ///   - columns: Columns that may refer to something.
  ///   - keys: Columns that are keys of rows on their own.
  /// - Returns: The pairs whose equal values cannot be equal by chance.
  static func pairs(
    _ columns: [(table: DatabaseTable, column: DatabaseTable.Column)],
    _ keys: [(table: DatabaseTable, column: DatabaseTable.Column)], _ connection: Connection
  ) throws -> Set<Pair> {
    var columnsOfValue: [Value: [Int]] = [:]
    var byTable: [String: [Int]] = [:]
    for (index, column) in columns.enumerated() { byTable[column.table.name, default: []].append(index) }
    for (_, indexes) in byTable {
      for (index, values) in zip(indexes, try samples(indexes.map { columns[$0] }, connection)) {
        for value in values { columnsOfValue[value, default: []].append(index) }
      }
    }
    guard !columnsOfValue.isEmpty else { return [] }
    var surprise: [Pair: Double] = [:]
    for (index, key) in keys.enumerated() {
      let rows = try connection.cursor(
        "SELECT \(quoted(key.column.name)) FROM \(key.table.quotedName) LIMIT \(mostKeys)")
      var (read, telling) = (0, 0)
      // A key with mostly ordinary values, such as 1, 2, 3, proves nothing.
      while try rows.step(), read < 8 || telling * 2 > read {
        let value = rows.value(at: 0)
        let bits = bits(of: value)
        read += 1
        guard bits >= enough else { continue }
        telling += 1
        for column in columnsOfValue[value] ?? [] { surprise[Pair(column: column, key: index), default: 0] += bits }
      }
    }
    return Set(surprise.filter { $0.value >= enoughTogether }.keys)
  }

  /// The distinct telling values of columns of one table; none for a column whose values are mostly ordinary.
  private static func samples(
    _ columns: [(table: DatabaseTable, column: DatabaseTable.Column)], _ connection: Connection
  ) throws -> [Set<Value>] {
    let table = columns[0].table
    var samples = columns.map { _ in (ordinary: 0, telling: 0, values: Set<Value>()) }
    let names = columns.map { quoted($0.column.name) }.joined(separator: ", ")
    for isDescending in [false, true] {
      let rows = try connection.cursor(
        "SELECT \(names) FROM \(table.quotedName) "
          + "ORDER BY \(table.order(isDescending: isDescending)) LIMIT \(rowsAtEachEnd)")
      while try rows.step() {
        for index in columns.indices {
          let value = rows.value(at: Int32(index))
          if isNone(value) { continue }
          guard bits(of: value) >= enough else {
            samples[index].ordinary += 1
            continue
          }
          samples[index].telling += 1
          if samples[index].values.count < mostValues { samples[index].values.insert(value) }
        }
      }
    }
    return samples.map { $0.telling > $0.ordinary ? $0.values : [] }
  }

  /// Whether a value stands for no reference in the databases of many programs.
  private static func isNone(_ value: Value) -> Bool {
    switch value {
    case .null, .integer(0), .integer(-1), .text(""): true
    default: false
    }
  }

  private static func bits(of value: Value) -> Double {
    switch value {
    case .text(let text): bits(of: text)
    // Numbers beyond a billion are not counted up: they are times, or random.
    case .integer(let number): number.magnitude >= 1 << 30 ? enough : 0
    case .null, .real, .blob: 0
    }
  }

  /// The information in a text, roughly: hexadecimal digits and other digits are random, letters are words.
  private static func bits(of text: String) -> Double {
    let (bytes, most) = (text.utf8, 200)
    if bytes.count >= 16, bytes.count <= most, bytes.allSatisfy(\.isHexadecimalOrHyphen) {
      return 4 * Double(bytes.count)
    }
    var (letters, digits) = (0, 0)
    for byte in bytes.prefix(most) {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: letters += 1
      default: break
      }
    }
    return 3.3 * Double(max(0, digits - 6)) + 2 * Double(max(0, letters - 4))
  }
}
