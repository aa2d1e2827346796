// SPDX-License-Identifier: MIT

internal import Store

/// The store that containers use by default: SQLite in Core Data's layout, with transaction history.
public final class DefaultStore: @unchecked Sendable {
  // Unchecked: everything is set by `init`; the one shared connection is behind its lock.

  /// The type that describes how to open the store.
  public typealias Configuration = ModelConfiguration

  /// The configuration that the store was opened with.
  public let configuration: ModelConfiguration
  /// The entities of the store.
  public let schema: Schema
  /// The name of the configuration.
  public var name: String { configuration.name }
  /// The UUID of the store.
  public let identifier: String
  private let path: String
  /// The one connection of a store in memory, or of one that is being migrated.
  private let shared: PersistentStore?
  private let lock = NSRecursiveLock()

  /// Opens the store, and creates or migrates it if necessary. A store that Apple's software made is opened read-only.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`, `.backwardMigration`, `.unknownSchema`,
  ///   `.unknownDataStoreSchema`, `.saveFailure`.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    try configuration.validate()
    guard let schema = configuration.schema else {
      throw SwiftDataError(.unknownSchema, "the configuration \(configuration) names no schema: give it one")
    }
    self.configuration = configuration
    self.schema = schema
    path = configuration.url.path
    if configuration.isStoredInMemoryOnly {
      let store = try SwiftDataError.translating(.opening) {
        try PersistentStore.createInMemory(model: ModelDescription(schema))
      }
      shared = store
      identifier = store.uuid
    } else {
      shared = nil
      identifier = try StoreOpening(configuration, schema, migrationPlan).open()
    }
  }

  /// A store that is open already, by its one connection.
  init(_ store: PersistentStore, _ schema: Schema, _ configuration: ModelConfiguration) {
    var configuration = configuration
    configuration.schema = schema
    self.configuration = configuration
    self.schema = schema
    path = store.path
    shared = store
    identifier = store.uuid
  }

  /// A connection to the store for one context.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` where the store is no longer the one that was opened.
  func session() throws -> StoreSession {
    if let shared { return try StoreSession(shared, configuration, schema.types, lock: lock, isShared: true) }
    let store = try SwiftDataError.translating(.reading) {
      try StoreFile.open(path, access: configuration.allowsSave ? .readWrite : .readOnly, for: .objects)
    }
    guard store.uuid == identifier else {
      throw SwiftDataError(
        .loadIssueModelContainer, "\(path) was replaced by another store; make a new ModelContainer")
    }
    let isReadable =
      try store.isOwn
      ? store.model.isEquivalent(to: ModelDescription(schema))
      : SchemaComparison(schema.types, store.layout).differences.isEmpty
    guard isReadable else {
      throw SwiftDataError(
        .loadIssueModelContainer, "the model of \(path) was changed by another process; make a new ModelContainer")
    }
    return try StoreSession(store, configuration, schema.types, lock: NSRecursiveLock(), isShared: false)
  }

  /// The file to watch for saves of other processes.
  var watchedURL: URL? { shared == nil ? configuration.url : nil }
}
