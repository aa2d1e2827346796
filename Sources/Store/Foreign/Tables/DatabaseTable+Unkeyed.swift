// SPDX-License-Identifier: MIT

internal import SQLite

/// Rows that the key of their table does not identify.
extension DatabaseTable {
  /// A condition: the row has no key; nil if every row has one.
  private var lacksKey: String? {
    switch rowKey {
    case .columns(let columns)?:
      let optional = columns.filter { column(named: $0.name)?.isNotNull != true }
      return optional.isEmpty ? nil : optional.map { "\(quoted($0.name)) IS NULL" }.joined(separator: " OR ")
    case .integer(let name)? where !hasRowid: return "typeof(\(name)) <> 'integer'"
    case .integer?, nil: return nil
    }
  }

  /// The statement that lists the rows without a key; nil if every row has one.
  var listOfUnkeyedRows: String? { lacksKey.map { "SELECT * FROM \(quoted(name)) WHERE \($0)" } }

  /// The number of rows without a key. The index of the key finds NULL in its first column, so most tables are not scanned.
  func unkeyedRows(_ connection: Connection) throws -> Int {
    guard let lacksKey else { return 0 }
    return Int(try connection.integer("SELECT count(*) FROM \(quotedName) WHERE \(lacksKey)") ?? 0)
  }
}
