// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// An error of this module. Compare it with the constants below, by `==` or in a `catch`.
public struct SwiftDataError: Error, Hashable, Sendable {
  private enum Code: String {
    case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor, duplicateConfiguration
    case configurationFileNameTooLong, configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer, modelValidationFailure
    case missingModelContext, backwardMigration, unknownSchema, historyTokenExpired, invalidTransactionFetchRequest
    case unknownDataStoreSchema, readFailure, saveFailure
  }

  private let code: Code
  /// What failed and why, and how to recover. An addition to Apple's interface.
  public let explanation: String
  /// The error of SQLite or of the system that caused this one; nil if there is none. An addition to Apple's interface.
  public let underlying: (any Error)?

  private init(_ code: Code, _ explanation: String = "", underlying: (any Error)? = nil) {
    self.code = code
    self.explanation = explanation
    self.underlying = underlying
  }

  init(_ kind: SwiftDataError, _ explanation: String, underlying: (any Error)? = nil) {
    self.init(kind.code, explanation, underlying: underlying)
  }

  /// A batched fetch cannot take unsaved changes in: set `includePendingChanges` to false.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// The predicate has a part that has no SQL, or its SQL exceeds a limit of SQLite.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path that reads no stored property of the model class.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// Identifiers of unsaved objects have no order: save first, or set `includePendingChanges` to false.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// The sort order has a part that has no SQL, or its SQL exceeds a limit of SQLite.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// Two configurations of a container have the same file or the same name.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The name of the store's file is longer than 240 bytes.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The name of a configuration contains a slash or a NUL character.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration has an entity that the container's schema does not have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// The store cannot be opened with this schema.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// An object breaks a rule of its model: a missing value, a duplicate, a count out of bounds, a denied delete.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// An object is needed that belongs to a context.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// The store was written by a newer version of the schema.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// A model class that no store of the container holds, or a store that holds other models than the schema.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The history behind the token was deleted: fetch the objects again.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// No store of the container records transactions of the requested type.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// The models of a store are neither those of the schema nor those of a version of the plan.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
  /// The store cannot be read: a disk error, a missing permission, damage, or a lock that was held for too long.
  ///
  /// An addition to Apple's interface.
  public static let readFailure = SwiftDataError(.readFailure)
  /// The store cannot be written: busy, full, read-only or damaged. Nothing was saved. An addition to Apple's interface.
  public static let saveFailure = SwiftDataError(.saveFailure)

  /// By kind; the explanation does not count.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }
  /// Hashes the kind; the explanation does not count.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Makes `catch SwiftDataError.historyTokenExpired` match.
  public static func ~= (kind: SwiftDataError, error: any Error) -> Bool { (error as? SwiftDataError) == kind }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
  /// The explanation, the kind, and the underlying error if there is one.
  public var description: String {
    let cause = underlying.map { ": \($0)" } ?? ""
    return explanation.isEmpty ? "SwiftDataError.\(code.rawValue)" : "\(explanation) (\(code.rawValue))\(cause)"
  }
  /// The same as `description`, for `localizedDescription`.
  public var errorDescription: String? { description }
}

/// The operation during which a store failed. It decides the kind of the error.
enum StoreTask {
  case opening, reading, saving
}

extension SwiftDataError {
  /// The store's error as one of this module's kinds.
  ///
  /// - Parameter title: A description of the task; nil where the error says enough.
  init(_ error: StoreError, during task: StoreTask, title: String? = nil) {
    let kind: SwiftDataError =
      switch (error.code, task) {
      case (.busy, .opening), (.full, .opening), (.limit, .opening): .saveFailure
      case (_, .opening), (.missing, _), (.notAStore, _), (.noHistory, _), (.invalidModel, _), (.replaced, _):
        .loadIssueModelContainer
      case (.invalidValue, _), (.duplicate, _), (.denied, _): .modelValidationFailure
      case (_, .reading): .readFailure
      case (_, .saving): .saveFailure
      }
    let sentence = error.advice(during: task).map { "\(error.message); \($0)" } ?? error.message
    self.init(kind, (title.map { $0 + ": " } ?? "") + sentence, underlying: error.cause)
  }

  /// Runs `body`, giving the store's errors this module's kinds.
  static func translating<Result>(_ task: StoreTask, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError { throw SwiftDataError(error, during: task) }
  }
}

extension StoreError {
  /// What a program, or the person who runs it, can do about the error; nil where the message says it.
  fileprivate func advice(during task: StoreTask) -> String? {
    switch (recovery, code) {
    case (.removeLeftover, _): "put the file back beside its own store, or remove it"
    case (.chooseOtherPath, _): "give the configuration another URL"
    case (.checkDirectory, _): "check that its directory exists and can be written"
    case (.writeToOwnStore, _), (.changeWithOwner, _): "change it with the program that it belongs to"
    case (.dropTrigger, _): "drop the trigger, migrate the store, and create the trigger again"
    case (.migrateInTwoSteps, _): "rename first, then add the other one in a separate version"
    case (.renameProperty, _): "give it another name"
    case (.restoreDirectory(let directory), _): "restore the directory \(directory) from a backup"
    case (.checkParentDirectories, _): "check the permissions of the directories above it"
    case (.restoreBackupOrLoadExtension, _):
      "restore the store from a backup, or open it with a program that has the extension it needs"
    case (_, .missing): "put the file back, then make a new ModelContainer"
    case (_, .notAStore): "give the configuration another URL, or move the file away"
    case (_, .noHistory): "open a store that SwiftData made"
    case (_, .replaced): "make a new ModelContainer"
    case (_, .unreadable) where cause?.isInputOutput ?? false: "check the disk, then try again"
    case (_, .unreadable) where cause.map { $0.isCannotOpen || $0.isDenied } ?? false, (_, .notWritable):
      "check the permissions of the file and its directory, and the free space on the disk"
    case (_, .unreadable) where cause?.isInterrupted ?? false: "open it once with the program that it belongs to"
    case (_, .busy): "try again when the other writer has finished"
    case (_, .full): "free space on the disk, then try again; nothing was lost"
    case (_, .limit): "allow the process more memory and open files, then try again"
    case (_, .corrupt): "restore the store from a backup"
    case (_, .duplicate) where task == .opening: "change or delete one of them first"
    case (_, .duplicate): "give it another value, or change the object that has this one"
    case (_, .denied): "delete the objects that it refers to first, or in the same save"
    case (.retry, _): "try again"
    default: nil
    }
  }
}
