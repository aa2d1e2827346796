// SPDX-License-Identifier: MIT

internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// An error of SQLite with its own code and message.
package struct SQLiteError: Error, CustomStringConvertible {
  /// SQLite's extended result code, such as `SQLITE_BUSY_SNAPSHOT`.
  let extendedCode: Int32
  /// SQLite's own message.
  package let message: String
  let operation: String
  /// The errno value of a failed file operation; otherwise it has no meaning.
  let systemError: Int32
  /// The offset of a mistake in a statement, in bytes; negative if it is not known.
  package internal(set) var offset = -1

  init(extendedCode: Int32, message: String, operation: String, systemError: Int32 = 0) {
    self.extendedCode = extendedCode
    self.systemError = systemError
    self.message = message
    self.operation = operation
  }

  /// The last error of an open connection.
  init(_ code: Int32, of connection: OpaquePointer, operation: String) {
    let message = String(cString: sqlite3_errmsg(connection))
    let systemError = sqlite3_system_errno(connection)
    guard code & 0xff == SQLITE_FULL, DamageCheck.findsDamage(connection) else {
      self.init(extendedCode: code, message: message, operation: operation, systemError: systemError)
      return
    }
    self.init(
      extendedCode: SQLITE_CORRUPT, message: "it names a page that cannot be there", operation: operation)
  }

  /// The primary result code: the lowest eight bits of the extended one.
  var code: Int32 { extendedCode & 0xff }

  /// A generic error (SQLITE_ERROR), for example text that is not valid JSON.
  package var isStatementError: Bool { code == SQLITE_ERROR }
  /// The schema uses a collation, a function, a module or a tokenizer that is not defined.
  package var lacksDefinition: Bool {
    isStatementError
      && [
        "no such collation sequence", "no such function", "no such module", "no such tokenizer", "unknown function",
        // SQLite cannot order by a primary key whose collation it does not have.
        "unknown tokenizer", "no query solution",
      ].contains(where: message.hasPrefix)
  }
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  package var isFull: Bool { code == SQLITE_FULL || fileErrorKind == .full }
  /// The process has reached its limit of memory or open files.
  package var isLimit: Bool { code == SQLITE_NOMEM || fileErrorKind == .limit }
  private var fileErrorKind: SystemErrorKind? { isCannotOpen || isInputOutput ? SystemErrorKind(systemError) : nil }
  /// SQLite's own message, with the system's reason for a failed file operation.
  package var reason: String {
    if let unreadDefinition { return String(unreadDefinition) }
    guard isCannotOpen || isInputOutput, systemError != 0 else { return message }
    return "\(message): \(String(cString: strerror(systemError)))"
  }
  /// A value exceeds SQLite's maximum length.
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// `Connection.stopping(when:_:)` ended the statement.
  var isStopped: Bool { code == SQLITE_INTERRUPT }
  package var isNotADatabase: Bool { code == SQLITE_NOTADB }
  /// The file's header names a format that this version of SQLite cannot read.
  package var isUnsupportedFormat: Bool { isStatementError && message == "unsupported file format" }
  package var isCorrupt: Bool { code == SQLITE_CORRUPT }
  /// SQLite does not understand the text of a definition in the schema: a newer version wrote it, or it is damaged.
  package var isUnreadDefinition: Bool { unreadDefinition != nil }
  /// The name of the object, and what SQLite says about its text. A definition that leads to nothing is damage.
  private var unreadDefinition: Substring? {
    let prefix = "malformed database schema "
    guard isCorrupt, message.hasPrefix(prefix), message.contains(" - "),
      !["invalid rootpage", "orphan index"].contains(where: message.hasSuffix)
    else { return nil }
    return message.dropFirst(prefix.count)
  }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  package var isReadOnly: Bool { code == SQLITE_READONLY }
  /// An interrupted transaction must be rolled back, which a read-only connection cannot do.
  package var isInterrupted: Bool { extendedCode == SQLITE_READONLY | (3 << 8) }
  package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isDenied: Bool { code == SQLITE_AUTH || code == SQLITE_PERM }

  package var description: String { "\(operation): \(message) (SQLite \(extendedCode))" }
}
