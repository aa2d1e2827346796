// SPDX-License-Identifier: MIT

internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Distinguishes a damaged file from a full disk: SQLite reports "full" for both, because a damaged page may refer to a
/// page number above all limits.
enum DamageCheck {
  /// Whether the connection's file is damaged, which only a check of the whole file proves. The check is skipped if the
  /// disk is almost full, because that explains the error.
  static func findsDamage(_ connection: OpaquePointer) -> Bool {
    guard hasRoom(connection) else { return false }
    var check: OpaquePointer?
    defer { sqlite3_finalize(check) }
    guard sqlite3_prepare_v2(connection, "PRAGMA quick_check(1)", -1, &check, nil) == SQLITE_OK else { return false }
    switch sqlite3_step(check) {
    case SQLITE_ROW: return sqlite3_column_text(check, 0).map { String(cString: $0) } != "ok"
    case let code: return code & 0xff == SQLITE_CORRUPT
    }
  }

  private static func hasRoom(_ connection: OpaquePointer) -> Bool {
    guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return false }
    var status = statvfs()
    return statvfs(name, &status) == 0 && Int(status.f_bavail) * Int(status.f_frsize) > 1 << 20
  }
}
