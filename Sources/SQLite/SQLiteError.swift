internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// What SQLite refused to do, with its own code and text kept whole.
package struct SQLiteError: Error, CustomStringConvertible {
  /// SQLite's extended result code, such as `SQLITE_BUSY_SNAPSHOT`.
  package let extendedCode: Int32
  /// SQLite's own sentence.
  package let message: String
  /// What was being done.
  package let operation: String
  /// The errno value behind a file that cannot be opened, read or written; else of no meaning.
  package let systemError: Int32

  package init(extendedCode: Int32, message: String, operation: String, systemError: Int32 = 0) {
    self.extendedCode = extendedCode
    self.systemError = systemError
    self.message = message
    self.operation = operation
  }

  /// The last error of an open connection.
  init(_ code: Int32, of connection: OpaquePointer, operation: String) {
    self.init(
      extendedCode: code, message: String(cString: sqlite3_errmsg(connection)), operation: operation,
      systemError: sqlite3_system_errno(connection))
  }

  /// The primary result code: the lowest eight bits of the extended one.
  package var code: Int32 { extendedCode & 0xff }

  /// SQLite's plain error: among others, text that its JSON functions cannot read.
  package var isStatementError: Bool { code == SQLITE_ERROR }
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  package var isFull: Bool {
    code == SQLITE_FULL || ((isCannotOpen || isInputOutput) && [ENOSPC, EDQUOT].contains(systemError))
  }
  /// A value longer than SQLite takes.
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  package var isNotADatabase: Bool { code == SQLITE_NOTADB }
  package var isCorrupt: Bool { code == SQLITE_CORRUPT }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  package var isReadOnly: Bool { code == SQLITE_READONLY }
  package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isDenied: Bool { code == SQLITE_AUTH || code == SQLITE_PERM }

  package var description: String { "\(operation): \(message) (SQLite \(extendedCode))" }
}
