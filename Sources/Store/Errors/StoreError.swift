// SPDX-License-Identifier: MIT

package import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// What went wrong with a store, for people and for machines.
package struct StoreError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  package struct Code: Hashable, Sendable {
    let name: String

    /// There is no file at the path.
    package static let missing = Code(name: "missing")
    /// The file is not an SQLite database, or the database is not a store.
    package static let notAStore = Code(name: "notAStore")
    /// A Core Data store without a transaction history.
    package static let noHistory = Code(name: "noHistory")
    /// The file, or a table of it, cannot be read.
    package static let unreadable = Code(name: "unreadable")
    /// SQLite does not accept the caller's SQL: a name is unknown, or a limit is exceeded.
    package static let notCompiled = Code(name: "notCompiled")
    /// The file cannot be written.
    package static let notWritable = Code(name: "notWritable")
    /// Another process held the write lock for too long. Retry.
    package static let busy = Code(name: "busy")
    /// No space is left on the disk. Retry when there is some.
    package static let full = Code(name: "full")
    /// The process has reached its limit of memory or open files. Retry when there are more.
    package static let limit = Code(name: "limit")
    /// SQLite reported that the file is damaged.
    package static let corrupt = Code(name: "corrupt")
    /// The file now contains another store than the one that was opened. Open it again.
    package static let replaced = Code(name: "replaced")
    /// The model description is invalid, so it has no layout.
    package static let invalidModel = Code(name: "invalidModel")
    /// A value does not fit its attribute.
    package static let invalidValue = Code(name: "invalidValue")
    /// Another row holds the same value of a unique attribute.
    package static let duplicate = Code(name: "duplicate")
    /// A delete rule forbids it.
    package static let denied = Code(name: "denied")
  }

  /// The entity and properties that a rejected value belongs to.
  package struct Subject: Equatable, Sendable {
    /// The entity's name.
    var entity: String
    /// The names of attributes and relationships; several if their values are unique together.
    package var properties: [String]
    /// The key of the rejected row, if it has one already.
    var key: Int64?

    init(_ entity: String, _ properties: [String], key: Int64? = nil) {
      self.entity = entity
      self.properties = properties
      self.key = key
    }
  }

  package var code: Code
  /// What was being done, on which path.
  package var message: String
  /// What removes the cause; nil where the message says it all.
  package var recovery: Recovery?
  /// The subject of `.invalidValue`, `.duplicate` and `.denied`.
  package var subject: Subject?
  /// The error that SQLite reported.
  package var cause: SQLiteError?

  package init(
    _ code: Code, _ message: String, recovery: Recovery? = nil, subject: Subject? = nil, cause: SQLiteError? = nil
  ) {
    self.code = code
    self.message = message
    self.recovery = recovery
    self.subject = subject
    self.cause = cause
  }

  /// SQLite's own message names tables and columns, so it is omitted if the error is about the model.
  package var description: String {
    guard let cause, subject == nil else { return message }
    return "\(message): \(cause.reason)"
  }

  /// Whether it may help to open the store again: it was replaced, or another process has locked it, and a new connection
  /// reads a copy.
  package var asksForOpening: Bool { code == .replaced || code == .busy }

  static func invalidModel(_ message: String) -> StoreError { StoreError(.invalidModel, message) }
  static func invalidValue(_ message: String, _ subject: Subject, recovery: Recovery? = nil) -> StoreError {
    StoreError(.invalidValue, message, recovery: recovery, subject: subject)
  }
}

extension StoreError {
  /// The error of the system call that has just failed on a file (`errno`).
  init(systemErrorAt path: String) {
    let code = errno
    let reason = String(cString: strerror(code))
    switch SystemErrorKind(code) {
    case .full: self.init(.full, "no space left for \(path)", recovery: .freeSpace)
    case .limit: self.init(.limit, "\(path) cannot be opened: \(reason)", recovery: .raiseLimits)
    case .other: self.init(.notWritable, "\(path) cannot be written: \(reason)")
    }
  }

  /// Translates SQLite's result code to an error of the store at `path`.
  init(_ cause: SQLiteError, path: String) {
    switch cause {
    case _ where cause.isBusy:
      let holder = LockHolder(of: path)
      self.init(
        .busy, "\(path) is busy: \(holder.map { "\($0) is using it" } ?? "another process is writing")",
        recovery: .waitForWriter(holder), cause: cause)
    case _ where cause.isFull:
      self.init(.full, "no space left for \(path)", recovery: .freeSpace, cause: cause)
    case _ where cause.isLimit:
      self.init(
        .limit, "\(path) cannot be used",
        recovery: .raiseLimits, cause: cause)
    case _ where cause.isNotADatabase || cause.isUnsupportedFormat:
      let (sentence, recovery) = FileKind.explain(path)
      self.init(.notAStore, sentence, recovery: recovery, cause: cause)
    case _ where cause.isUnreadDefinition:
      self.init(
        .unreadable, FileKind.sentenceOnDefinition(path), recovery: .updateSQLite(Connection.libraryVersion),
        cause: cause)
    case _ where cause.isCorrupt:
      self.init(.corrupt, "\(path) is damaged", recovery: .restoreBackup, cause: cause)
    case _ where cause.isInterrupted:
      self.init(
        .unreadable, "\(path) holds parts of an interrupted transaction",
        recovery: .openWithOwner, cause: cause)
    case _ where cause.isReadOnly:
      self.init(
        .notWritable, "\(path) cannot be written", recovery: .checkPermissions,
        cause: cause)
    case _ where cause.isInputOutput:
      self.init(
        .unreadable, "\(path) cannot be read or written",
        recovery: .checkDisk, cause: cause)
    case _ where cause.isCannotOpen || cause.isDenied:
      self.init(
        .unreadable, "\(path) cannot be read",
        recovery: .checkPermissionsAndSpace, cause: cause)
    case _ where cause.lacksDefinition:
      self.init(
        .unreadable, "a statement on \(path) failed",
        recovery: .restoreBackupOrLoadExtension,
        cause: cause)
    case _ where cause.isStatementError: self.init(.unreadable, "a statement on \(path) failed", cause: cause)
    default: self.init(.unreadable, "\(path) cannot be used", recovery: .retry, cause: cause)
    }
  }
}
