internal import PersistentStore

/// What went wrong. Compare with the constants below, by `==` or in a `catch`.
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
  /// What was being done, and what to do about it.
  public let explanation: String
  /// What the store said, where it said something.
  public let underlying: (any Error)?

  private init(_ code: Code) {
    self.code = code
    explanation = ""
    underlying = nil
  }

  init(_ kind: SwiftDataError, _ explanation: String, underlying: (any Error)? = nil) {
    code = kind.code
    self.explanation = explanation
    self.underlying = underlying
  }

  /// A batched fetch cannot take unsaved changes in: set `includePendingChanges` to false.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// The predicate has a part that has no SQL, or its SQL exceeds a limit of SQLite.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// Identifiers of unsaved objects have no order: save first, or set `includePendingChanges` to false.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// The sort order has a part that has no SQL, or its SQL exceeds a limit of SQLite.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// The store cannot be opened with this schema.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// An object breaks a rule of its model: a missing value, a duplicate, a count out of bounds, a denied delete.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// The store was written by a newer version of the schema.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The history behind the token was deleted: read everything anew.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
  /// The store cannot be read: a disk error, a missing permission, damage, or a lock that was held for too long.
  public static let readFailure = SwiftDataError(.readFailure)
  /// The store cannot be written: busy, full, read-only or damaged. Nothing was saved.
  public static let saveFailure = SwiftDataError(.saveFailure)

  /// By kind; the explanation does not count.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Makes `catch SwiftDataError.historyTokenExpired` match.
  public static func ~= (kind: SwiftDataError, error: any Error) -> Bool { (error as? SwiftDataError) == kind }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
  public var description: String {
    let cause = underlying.map { ": \($0)" } ?? ""
    return explanation.isEmpty ? "SwiftDataError.\(code.rawValue)" : "\(explanation) (\(code.rawValue))\(cause)"
  }
  public var errorDescription: String? { description }
}

/// What the store was asked to do when it failed: it decides the kind of the error.
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
    self.init(kind, (title.map { $0 + ": " } ?? "") + Self.words(error), underlying: error.cause)
  }

  /// The store's advice is for those who type commands; programs have other ways.
  private static func words(_ error: StoreError) -> String {
    let advice: String? =
      switch error.code {
      case .missing: "it was there before: put it back, and make a new ModelContainer"
      case .notAStore: "give the configuration another URL, or move the file away"
      case .noHistory: "open a store that SwiftData or followspot made"
      case .replaced: "make a new ModelContainer"
      default: error.hint
      }
    return advice.map { "\(error.message); \($0)" } ?? error.message
  }

  /// Runs `body`, giving the store's errors this module's kinds.
  static func translating<Result>(_ task: StoreTask, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError { throw SwiftDataError(error, during: task) }
  }
}
