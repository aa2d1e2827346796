package import SQLite

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
    package var entity: String
    /// The names of attributes and relationships; several if their values are unique together.
    package var properties: [String]
    /// The key of the rejected row, if it has one already.
    package var key: Int64?

    package init(_ entity: EntityDescription, _ properties: [String], key: Int64? = nil) {
      self.entity = entity.name
      self.properties = properties
      self.key = key
    }
  }

  package var code: Code
  /// What was being done, on which path.
  package var message: String
  /// What a person may do.
  package var hint: String?
  /// The subject of `.invalidValue`, `.duplicate` and `.denied`.
  package var subject: Subject?
  /// The error that SQLite reported.
  package var cause: SQLiteError?

  package init(
    _ code: Code, _ message: String, hint: String? = nil, subject: Subject? = nil, cause: SQLiteError? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.subject = subject
    self.cause = cause
  }

  /// SQLite's own message names tables and columns, so it is omitted if the error is about the model.
  package var description: String {
    guard let cause, subject == nil else { return message }
    return "\(message): \(cause.reason)"
  }

  static func invalidModel(_ message: String) -> StoreError { StoreError(.invalidModel, message) }
  static func invalidValue(_ message: String, _ subject: Subject) -> StoreError {
    StoreError(.invalidValue, message, subject: subject)
  }
}

extension StoreError {
  /// Translates SQLite's result code to an error of the store at `path`.
  package init(_ cause: SQLiteError, path: String) {
    switch cause {
    case _ where cause.isBusy:
      self.init(
        .busy, "\(path) is busy: another process is writing", hint: "try again when the other writer has finished",
        cause: cause)
    case _ where cause.isFull:
      self.init(.full, "no space left for \(path)", hint: "make room, then try again; nothing was lost", cause: cause)
    case _ where cause.isLimit:
      self.init(
        .limit, "\(path) cannot be used",
        hint: "allow the process more memory and open files (ulimit -v, ulimit -n), then try again", cause: cause)
    case _ where cause.isNotADatabase || cause.isUnsupportedFormat:
      let (sentence, hint) = FileKind.explain(path)
      self.init(.notAStore, sentence, hint: hint, cause: cause)
    case _ where cause.isCorrupt:
      self.init(.corrupt, "\(path) is damaged", hint: "restore the store from a backup", cause: cause)
    case _ where cause.isInterrupted:
      self.init(
        .unreadable, "\(path) holds parts of an interrupted transaction",
        hint: "open it once with the program that it belongs to, which rolls the transaction back", cause: cause)
    case _ where cause.isReadOnly:
      self.init(
        .notWritable, "\(path) cannot be written", hint: "check the permissions of the file and its directory",
        cause: cause)
    case _ where cause.isInputOutput:
      self.init(
        .unreadable, "\(path) cannot be read or written",
        hint: "check the disk, then try again; what was saved before stays", cause: cause)
    case _ where cause.isCannotOpen || cause.isDenied:
      self.init(
        .unreadable, "\(path) cannot be read",
        hint: "check the permissions of the file and its directory, and whether the disk has room", cause: cause)
    case _ where cause.lacksDefinition:
      self.init(
        .unreadable, "a statement on \(path) failed",
        hint:
          "if the schema is damaged, restore the database from a backup; else it needs an extension of its own program",
        cause: cause)
    case _ where cause.isStatementError: self.init(.unreadable, "a statement on \(path) failed", cause: cause)
    default: self.init(.unreadable, "\(path) cannot be used", hint: "try again", cause: cause)
    }
  }
}
