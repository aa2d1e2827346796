// SPDX-License-Identifier: MIT

/// The stores of a program and their schema.
public final class ModelContainer: Equatable, @unchecked Sendable {
  // Unchecked: what changes is behind locks.

  /// The entities of all stores.
  public let schema: Schema
  /// How older stores are migrated; nil for lightweight migrations only.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// One for each configuration.
  let stores: [any DataStore]
  let center: ChangeCenter
  private let configured: Locked<Set<ModelConfiguration>>
  private let main = Locked<ModelContextBox?>(nil)

  /// Holds a context, which its users confine to one thread.
  private struct ModelContextBox: @unchecked Sendable {
    let context: ModelContext
  }

  /// The configurations of the default stores.
  public var configurations: Set<ModelConfiguration> {
    get { configured.withLock { $0 } }
    set { configured.withLock { $0 = newValue } }
  }

  /// The context of the main actor. Autosave is enabled.
  @MainActor public var mainContext: ModelContext {
    if let known = main.withLock({ $0 }) { return known.context }
    let context = ModelContext(self)
    context.autosaveEnabled = true
    main.withLock { $0 = ModelContextBox(context: context) }
    return context
  }

  /// A container of these classes, with a migration plan and a store for each configuration.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: Schema(types), plan: migrationPlan, configurations: configurations)
  }

  /// A container of a schema, with a migration plan and a store for each configuration.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(schema: schema, plan: migrationPlan, configurations: configurations)
  }

  /// A container of a schema, with a migration plan and a store for each configuration.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    try self.init(schema: schema, plan: migrationPlan, configurations: configurations)
  }

  /// A container of these classes, with a store for each configuration; the stores may be custom ones.
  public convenience init(
    for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(schema: Schema(types), plan: nil, configurations: configurations)
  }

  /// A container of a schema, with a store for each configuration; the stores may be custom ones.
  public convenience init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(schema: schema, plan: nil, configurations: configurations)
  }

  private init(
    schema: Schema, plan: (any SchemaMigrationPlan.Type)?, configurations: [any DataStoreConfiguration]
  ) throws {
    self.schema = schema
    migrationPlan = plan
    for type in schema.types { type.warn() }
    let all: [any DataStoreConfiguration] = configurations.isEmpty ? [ModelConfiguration()] : configurations
    stores = try Self.completed(all, schema).map { try Self.open($0, plan) }
    center = ChangeCenter()
    configured = Locked(Set(stores.compactMap { $0.configuration as? ModelConfiguration }))
    center.begin(self)
    for case let store as any RowStore in stores {
      if let url = store.watchedURL { center.watch(url, store: store.identifier) }
    }
  }

  /// A container of one store that is open already, for requests to it alone.
  ///
  /// - Parameter isQuiet: Whether nobody else learns of its saves: they are not final yet.
  init(over store: some RowStore, isQuiet: Bool = false) {
    center = ChangeCenter(isQuiet: isQuiet)
    schema = store.schema
    migrationPlan = nil
    stores = [store]
    configured = Locked(Set([store.configuration].compactMap { $0 as? ModelConfiguration }))
    center.begin(self)
  }

  /// The configurations, each with the schema of its own store.
  private static func completed(
    _ configurations: [any DataStoreConfiguration], _ schema: Schema
  ) throws -> [any DataStoreConfiguration] {
    var (names, urls): (Set<String>, Set<URL>) = ([], [])
    return try configurations.map { configuration in
      var configuration = configuration
      let standard = configuration as? ModelConfiguration
      let url = standard?.url
      let isOwn =
        standard?.isStoredInMemoryOnly ?? false
        || url.map { urls.insert($0.standardizedFileURL).inserted }
          ?? names.insert(configuration.name).inserted
      guard isOwn else {
        throw SwiftDataError(
          .duplicateConfiguration,
          url.map { "two configurations have the file \($0.standardizedFileURL.path): give each its own file" }
            ?? "two configurations are named \(configuration.name): give each its own name")
      }
      guard let own = configuration.schema else {
        configuration.schema = schema
        return configuration
      }
      for entity in own.entities where schema.entitiesByName[entity.name] == nil {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "\(configuration.name) holds \(entity.name), which the container does not name: add it to the container")
      }
      return configuration
    }
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    try configuration.validate()
    return try Configuration.Store(configuration, migrationPlan: plan)
  }

  /// Whether both are the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

  // MARK: Stores

  /// The index of the store that holds a class.
  func store(of type: ModelType) throws -> Int {
    if let store = stores.firstIndex(where: { $0.schema.types.contains { $0 === type } }) { return store }
    throw SwiftDataError(
      .unknownSchema, "\(type.name) is in no store of the container: name it in the container's schema")
  }

  /// The identifier of the store that a configuration opened; nil where none has that name.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { Self.name(of: $0) == name }?.identifier
  }

  /// The name of the configuration that opened a store; nil where no store has that identifier.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    stores.first { $0.identifier == identifier }.map(Self.name)
  }

  private static func name(of store: any DataStore) -> String { store.configuration.name }

  /// Deletes every object of every store, as one history transaction in each.
  ///
  /// - Throws: `SwiftDataError.saveFailure` for a store that is read-only, busy or on a full disk; the stores before it
  ///   are empty then.
  public func erase() throws {
    let context = ModelContext(self)
    for (index, store) in stores.enumerated() {
      switch try context.access(index) {
      case .rows(let session): try context.erase(session)
      case .snapshots: try store.erase()
      }
    }
  }

  /// The older spelling of `erase()`; errors are lost.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() { try? erase() }
}
