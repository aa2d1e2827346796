// SPDX-License-Identifier: MIT

/// Columns that a person chooses among tables: `title`, which means the column in each table, or `book.title`. Several
/// may be joined by commas.
struct ColumnChoice {
  /// One name. `table` is nil if it names no table.
  private var names: [(table: [UInt8]?, column: String)] = []

  /// - Parameter purpose: The purpose of the columns, as an error shows it: `to preserve`.
  /// - Throws: `StoreError.notAStore` for a column that no table has.
  init(_ texts: [String], of tables: [DatabaseTable], _ purpose: String) throws {
    for text in texts {
      guard let found = Self.names(text, tables) else {
        throw StoreError(.notAStore, "no table has a column \(text) \(purpose)", recovery: .chooseColumn)
      }
      names += found
    }
  }

  var isEmpty: Bool { names.isEmpty }

  /// The chosen columns of a table, without repetition, in the order of the choice.
  func columns(of table: DatabaseTable) -> [String] {
    var columns: [String] = []
    for name in names where name.table == nil || name.table == table.name.sqlName {
      if let column = table.column(named: name.column)?.name, !columns.contains(column) { columns.append(column) }
    }
    return columns
  }

  /// Names may contain dots and commas, so whole names come first. nil if a part names no column.
  private static func names(_ text: String, _ tables: [DatabaseTable]) -> [(table: [UInt8]?, column: String)]? {
    if tables.contains(where: { $0.column(named: text) != nil }) { return [(nil, text)] }
    for dot in text.indices where text[dot] == "." {
      let (table, column) = (String(text[..<dot]).sqlName, String(text[text.index(after: dot)...]))
      if tables.contains(where: { $0.name.sqlName == table && $0.column(named: column) != nil }) {
        return [(table, column)]
      }
    }
    let parts = text.split(separator: ",").map { $0.trimmingSpaces }
    guard parts.count > 1 else { return nil }
    let found = parts.map { names($0, tables) }
    return found.contains { $0 == nil } ? nil : found.flatMap { $0 ?? [] }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
