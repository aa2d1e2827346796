// SPDX-License-Identifier: MIT

internal import CSQLite

/// Checkpoints, which copy the frames of the write-ahead log to the main file.
///
/// SQLite up to 3.51.2 can lose commits if one connection resets the log while another one begins a checkpoint (the
/// WAL-reset bug). So a checkpoint runs only while another connection of this process holds the lock for writing. The last
/// connection that is closed needs no lock: it has the file for itself.
extension Connection {
  /// The number of pages in the log from which a commit is followed by a checkpoint, in connections that are opened later.
  package nonisolated(unsafe) static var mostLogPages: Int32 = 1_000

  /// Runs a checkpoint without waiting for readers. Does nothing if other connections write for so long.
  package func checkpoint(milliseconds: Int32 = 1_000) throws(SQLiteError) {
    let code = csqlite_checkpoint(handle, "main", milliseconds)
    guard code & 0xff != SQLITE_BUSY, code != SQLITE_OK else { return }
    throw error(code, "copying the log of \(path)")
  }

  /// Whether a version of SQLite has the WAL-reset bug.
  ///
  /// - Parameter version: As `sqlite3_libversion_number` returns it: 3050007 for 3.50.7.
  package static func hasResetBug(version: Int = Int(sqlite3_libversion_number())) -> Bool {
    let isBackported = 3_044_006..<3_045_000 ~= version || 3_050_007..<3_051_000 ~= version
    return 3_007_000..<3_051_003 ~= version && !isBackported
  }
}
