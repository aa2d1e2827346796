/// A store of models: the default store, or a custom one.
public protocol DataStore: AnyObject {
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's own name, part of all identifiers.
  var identifier: String { get }
  var schema: Schema { get }
  var configuration: Configuration { get }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to have the context do it.
  func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot>
  func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int
  func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier]

  /// Makes the changes durable, all or none.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  func erase() throws
  func initializeState(for editingState: EditingState)
  func invalidateState(for editingState: EditingState)
  func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }

  public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  public func erase() throws {
    throw DataStoreError.unsupportedFeature
  }

  public func initializeState(for editingState: EditingState) {}
  public func invalidateState(for editingState: EditingState) {}

  public func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// How to open a store of one kind.
public protocol DataStoreConfiguration: Hashable {
  associatedtype Store: DataStore where Self == Store.Configuration

  var name: String { get }
  var schema: Schema? { get set }
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}

/// A store that deletes by predicate.
public protocol DataStoreBatching: DataStore {
  func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws
}

/// What a store asks of its context, or cannot do.
public enum DataStoreError: Error, Hashable, Sendable {
  case unsupportedFeature
  case preferInMemoryFilter
  case preferInMemorySort
  case invalidPredicate
}

/// What a context tells its stores of itself.
public struct EditingState: Identifiable, Sendable {
  public let id: UUID
  public var author: String?
}
