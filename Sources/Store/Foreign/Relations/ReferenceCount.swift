// SPDX-License-Identifier: MIT

internal import SQLite

/// Columns that may refer to the key of a table.
struct ReferenceColumns {
  let columns: [DatabaseTable.Column]
  let target: DatabaseTable
  let keys: [DatabaseTable.Column]
  /// The value of another column, as text, with which the columns refer to the table; nil if they always do.
  var condition: (column: DatabaseTable.Column, value: String)?

  /// A condition: the row `t` refers to the table, if to anything; nil if all rows do.
  var refers: String? {
    condition.map { "CAST(\($0.column.sql(of: "t")) AS TEXT) IS \(literal($0.value))" }
  }

  /// A condition: all columns of the row `t` have a value.
  var isSet: String {
    let values = columns.map { "\($0.sql(of: "t")) IS NOT NULL AND \($0.sql(of: "t")) <> ''" }
    return ([refers].compactMap(\.self) + values).joined(separator: " AND ")
  }

  /// A condition: the row that the row `t` refers to exists.
  var exists: String { "EXISTS (SELECT 1 FROM \(target.quotedName) r WHERE \(matches("r")))" }

  /// A condition: the row `t` refers to nothing that exists. Many programs write 0 for no reference.
  var dangles: String {
    let zero = columns.count == 1 ? " AND \(columns[0].sql(of: "t")) <> 0" : ""
    return "\(isSet)\(zero) AND NOT \(exists)"
  }

  /// A condition: the row `t` refers to the row `alias`. As in a foreign key, a value gets the affinity of the key, so that
  /// an index of the keys finds it.
  func matches(_ alias: String) -> String {
    zip(columns, keys).map { column, key in
      let value = column.sql(of: "t")
      let converted =
        switch key.affinity {
        case "TEXT": ["TEXT", "BLOB"].contains(column.affinity) ? value : "CAST(\(value) AS TEXT)"
        case "BLOB": "+" + value
        default: value
        }
      return "\(key.sql(of: alias)) = \(converted)"
    }.joined(separator: " AND ")
  }
}

/// How many rows refer to something, and how many of these to nothing that exists.
struct ReferenceCount {
  var rows = 0
  var dangling = 0

  /// The number of rows that are read at each end of a table.
  private static let sample = 100

  /// Counts the references of some columns of a table.
  ///
  /// - Parameter isWhole: Reads all rows, not only the first and the last ones.
  static func counts(
    of references: [ReferenceColumns], in table: DatabaseTable, isWhole: Bool, _ connection: Connection
  ) throws -> [ReferenceCount] {
    let ends =
      isWhole
      ? [table.quotedName]
      : [false, true].map { isDescending in
        let all = references.flatMap { $0.columns + [$0.condition?.column].compactMap(\.self) }
        let selected = Set(all.map { "\($0.sql(of: "t")) AS \(quoted($0.name))" })
        let columns = selected.sorted().joined(separator: ", ")
        return "(SELECT \(columns) FROM \(table.quotedName) t "
          + "ORDER BY \(table.order(isDescending: isDescending)) LIMIT \(sample))"
      }
    var counts = references.map { _ in ReferenceCount() }
    // SQLite returns at most 2,000 columns.
    for start in stride(from: 0, to: references.count, by: 500) {
      let some = references[start..<min(start + 500, references.count)]
      let sums = some.map { "sum(\(weight(of: $0)))" }.joined(separator: ", ")
      for end in ends {
        let row = try connection.cursor("SELECT \(sums) FROM \(end) t")
        guard try row.step() else { continue }
        for index in some.indices {
          let sum = Int(row.integer(at: Int32(index - start)))
          counts[index].rows += sum % (1 << 32) + sum >> 32
          counts[index].dangling += sum >> 32
        }
      }
    }
    return counts
  }

  /// 1 for a row that refers to a row, 2^32 for one that refers to nothing that exists, and 0 for any other.
  private static func weight(of reference: ReferenceColumns) -> String {
    let zero = reference.columns.count == 1 ? " WHEN \(reference.columns[0].sql(of: "t")) = 0 THEN 0" : ""
    return "CASE WHEN NOT (\(reference.isSet)) THEN 0 WHEN \(reference.exists) THEN 1\(zero) ELSE 4294967296 END"
  }

  /// Whether a sample contains all rows of a table.
  static func isSmall(_ table: DatabaseTable, _ connection: Connection) throws -> Bool {
    try rows(of: table, atMost: 2 * sample + 1, connection) <= 2 * sample
  }

  static func rows(of table: DatabaseTable, atMost most: Int, _ connection: Connection) throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM (SELECT 1 FROM \(table.quotedName) LIMIT \(most))") ?? 0)
  }
}
