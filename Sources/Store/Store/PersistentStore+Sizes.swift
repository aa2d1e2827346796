// SPDX-License-Identifier: MIT

internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

package struct StoreSizes: Equatable, Sendable {
  /// The size of the main file in bytes; for an in-memory store, that of its pages.
  package let bytes: Int
  /// The size of the `-wal` in bytes; 0 if there is none.
  package let walBytes: Int
  /// The number of rows of ATRANSACTION.
  package let transactions: Int
  /// The number of rows of ACHANGE.
  package let changes: Int
  /// The bytes of the history's pages, from SQLite's `dbstat`; nil if SQLite was built without it.
  package let historyBytes: Int?
}

extension PersistentStore {
  /// Measures the store's files and its history. Reads all pages of the history.
  package func sizes() throws -> StoreSizes {
    try Self.translating(path) {
      StoreSizes(
        bytes: try isInMemory ? pageBytes() : Self.fileSize(path),
        walBytes: isInMemory ? 0 : Self.fileSize(file + "-wal"),
        transactions: Int(try connection.integer("SELECT COUNT(*) FROM ATRANSACTION") ?? 0),
        changes: Int(try connection.integer("SELECT COUNT(*) FROM ACHANGE") ?? 0), historyBytes: try historyBytes())
    }
  }

  private func pageBytes() throws -> Int {
    Int(try connection.integer("PRAGMA page_count") ?? 0) * Int(try connection.integer("PRAGMA page_size") ?? 0)
  }

  private func historyBytes() throws -> Int? {
    do {
      _ = try connection.cursor("SELECT pgsize FROM dbstat LIMIT 0")
    } catch {
      guard error.isStatementError else { throw error }
      return nil
    }
    let tables = self.tables?.historyTables ?? ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"]
    let names = try connection.mapRows(
      "SELECT name FROM main.sqlite_master WHERE tbl_name IN (\(tables.map(literal).joined(separator: ", "))) AND rootpage"
    ) { $0.text(at: 0) }
    var sum = 0
    for name in names {
      let bytes = "SELECT pgsize FROM dbstat WHERE aggregate = TRUE AND name = ?1"
      sum += Int(try connection.integer(bytes, [.text(name)]) ?? 0)
    }
    return sum
  }

  private static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
