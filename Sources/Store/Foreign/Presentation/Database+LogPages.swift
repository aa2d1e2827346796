// SPDX-License-Identifier: MIT

internal import SQLite

/// Which tables a transaction has written, by the pages that it wrote.
extension Database {
  /// Maximum number of pages of other tables that are read.
  private static let mostPages = 20_000

  package func logExplains(_ transactions: [Set<UInt32>], besides count: Int) throws -> Bool {
    do {
      // A transaction that fires a trigger appends to the log.
      let log = try pages(of: ["followspot_change"], atMost: .max)
      // Page 1 has the header of the file. Changes of the schema, which is there, too, are found by its version.
      let silent = transactions.filter { $0.isDisjoint(with: log) }.map { $0.subtracting([1]) }
      guard silent.count > count else { return true }
      let unknown = silent.reduce(into: Set()) { $0.formUnion($1) }
      let others = try pages(of: othersThanLogged(), atMost: Self.mostPages, until: unknown)
      return silent.filter { !$0.isSubset(of: others) }.count <= count
    } catch let error as SQLiteError where error.isStatementError {
      // SQLite was built without `dbstat`.
      return false
    }
  }

  /// The pages of tables and indexes.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of pages that are read.
  ///   - wanted: Pages after which no others are needed; nil for all pages.
  private func pages(of names: [String], atMost limit: Int, until wanted: Set<UInt32>? = nil) throws -> Set<UInt32> {
    var found: Set<UInt32> = []
    var count = 0
    for name in names {
      let rows = try connection.cursor("SELECT pageno FROM dbstat WHERE name = ?1", [.text(name)])
      while try rows.step() {
        let page = UInt32(clamping: rows.integer(at: 0))
        count += 1
        guard count <= limit else { return found }
        guard let wanted else {
          found.insert(page)
          continue
        }
        if wanted.contains(page), found.insert(page).inserted, found.count == wanted.count { return found }
      }
    }
    return found
  }

  /// All tables and indexes but the logged tables themselves, because each change of a row writes to its table.
  private func othersThanLogged() throws -> [String] {
    try connection.mapRows("SELECT name FROM main.sqlite_master WHERE rootpage > 0") { $0.text(at: 0) }
      .filter { !isLogged($0) }
  }
}
