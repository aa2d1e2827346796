// SPDX-License-Identifier: MIT

internal import CSQLite

extension Connection {
  /// Bytes that change with any commit to the file, by any connection. Equal bytes mean that nothing was committed in
  /// between. This requires that the file is the same one, and that only SQLite wrote it.
  ///
  /// - Parameter isWAL: Whether the connection reads a `-wal`. It must have read something already.
  package func marks(isWAL: Bool) throws(SQLiteError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 72)
    let code = csqlite_marks(handle, isWAL ? 1 : 0, &bytes)
    guard code == SQLITE_OK else { throw error(code, "reading the marks of \(path)") }
    return bytes
  }

  /// Whether the file is in WAL mode.
  package func isInWALMode() throws(SQLiteError) -> Bool {
    let statement = try statement("PRAGMA main.journal_mode")
    defer { statement.reset() }
    return try statement.step() && statement.text(at: 0) == "wal"
  }
}
