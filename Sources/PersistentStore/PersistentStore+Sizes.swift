internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// How large a store is, and its history in it.
package struct StoreSizes: Equatable, Sendable {
  /// Bytes of the main file; of a store in memory, of its pages.
  package let bytes: Int
  /// Bytes of the `-wal` beside it; 0 where there is none.
  package let walBytes: Int
  /// Rows of ATRANSACTION.
  package let transactions: Int
  /// Rows of ACHANGE.
  package let changes: Int
  /// Bytes of the pages that hold the history's tables and their indexes, as SQLite's `dbstat` counts them; nil where
  /// SQLite was built without it.
  package let historyBytes: Int?
}

extension PersistentStore {
  /// The sizes of the store's files and of its history. The history's pages are read for it.
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
    let names = try connection.statement(
      "SELECT name FROM sqlite_master WHERE tbl_name IN ('ATRANSACTION', 'ACHANGE', 'ATRANSACTIONSTRING')")
    defer { names.reset() }
    let pages: Statement
    do {
      pages = try connection.statement("SELECT pgsize FROM dbstat WHERE aggregate = TRUE AND name = ?1")
    } catch {
      guard error.isStatementError else { throw error }
      return nil
    }
    defer { pages.reset() }
    var sum = 0
    while try names.step() {
      pages.reset()
      try pages.bind(names.text(at: 0), at: 1)
      while try pages.step() { sum += Int(pages.integer(at: 0)) }
    }
    return sum
  }

  private static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
