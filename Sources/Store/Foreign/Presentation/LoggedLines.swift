// SPDX-License-Identifier: MIT

internal import SQLite

/// The lines of the log that a table has under one of its numbers, as SQL over the log with the alias `c`. They are of the
/// time in which it had one key, and one list of preserved columns.
struct LoggedLines {
  let number: Int
  private let preserved: [String]
  /// The table with the key of that time; nil if the key is gone.
  private let then: DatabaseTable?
  private let present: DatabaseTable

  /// - Parameters:
  ///   - present: The table with its present key.
  ///   - declared: The table with the key that its schema declares.
  init(_ logged: Attachment.Table, of present: DatabaseTable, declared: DatabaseTable) {
    (number, preserved, self.present) = (logged.number, logged.preserved, present)
    var table = declared
    then = table.identify(by: logged.key) ? table : nil
  }

  /// The value of a column of the changed row; nil if the log does not have it. Only lines of deleted rows have preserved
  /// values.
  func value(of column: String) -> String? {
    func position(_ names: [String]) -> Int? { names.firstIndex { $0.sqlName == column.sqlName } }
    if let index = position(then?.namingColumns?.map(\.name) ?? []) { return "c.key\(index)" }
    if case .integer(quoted(column))? = then?.rowKey { return "c.rowKey" }
    return position(preserved).map { "c.value\($0)" }
  }

  /// The number of the row's present key. Without it, each line is of a row of its own.
  var key: String {
    if case .integer? = present.rowKey, case .integer? = then?.rowKey { return "c.rowKey" }
    let unknown = "CASE c.rowKey WHEN 0 THEN \(Int64.min / 2) + c.number ELSE c.rowKey END"
    let known: String? =
      switch present.rowKey {
      case .integer?: present.rowidAlias.flatMap { value(of: $0.name) }
      case .columns(let columns)?:
        present.numbers.flatMap { numbers in
          let values = columns.compactMap { value(of: $0.name) }
          return values.count == columns.count ? numbers.number(of: values) : nil
        }
      case nil: nil
      }
    return known.map { "ifnull(\($0), \(unknown))" } ?? unknown
  }

  /// One of the values that name the row.
  func nameValue(_ index: Int) -> String {
    guard let columns = present.namingColumns, index < columns.count else { return "c.key\(index)" }
    return value(of: columns[index].name) ?? "NULL"
  }

  /// A condition: the row exists.
  var exists: String {
    let condition: String? =
      switch then?.rowKey {
      case .integer(let name)?: "t.\(name) = c.rowKey"
      case .columns(let columns)?:
        columns.enumerated().map { "t.\(quoted($1.name)) = c.key\($0) COLLATE \($1.collation)" }
          .joined(separator: " AND ")
      case nil: nil
      }
    return condition.map { "EXISTS (SELECT 1 FROM \(present.quotedName) t WHERE \($0))" } ?? "1"
  }
}
