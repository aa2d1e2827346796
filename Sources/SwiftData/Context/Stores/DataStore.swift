// SPDX-License-Identifier: MIT

/// A store of models: the default store, or a custom one.
public protocol DataStore: AnyObject {
  /// The type that describes how to open the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The type that carries the values of one object.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's own name, part of all identifiers.
  var identifier: String { get }
  /// The entities of the store.
  var schema: Schema { get }
  /// The configuration that the store was opened with.
  var configuration: Configuration { get }

  /// Opens the store, and migrates it where a plan is given and the store holds older models.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to have the context do it.
  func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot>
  /// The number of objects that the request selects.
  func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int
  /// The identifiers of the objects that the request selects, in its order.
  func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier]

  /// Makes the changes durable, all or none.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Deletes all objects of the store.
  func erase() throws
  /// Called when a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context does not use the store any more.
  func invalidateState(for editingState: EditingState)
  /// The snapshots that the store has in memory, by identifier; identifiers without one are left out.
  func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Fetches the snapshots and counts them.
  public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches the snapshots and returns their identifiers.
  public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Throws `DataStoreError.unsupportedFeature`.
  public func erase() throws {
    throw DataStoreError.unsupportedFeature
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  public func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// How to open a store of one kind.
public protocol DataStoreConfiguration: Hashable {
  /// The type of store that the configuration opens.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// The name of the configuration, unique in its container.
  var name: String { get }
  /// The entities of the store; nil for all entities of the container.
  var schema: Schema? { get set }
  /// Throws an error for a configuration that cannot be opened.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  public func validate() throws {}
}

/// A store that deletes by predicate.
public protocol DataStoreBatching: DataStore {
  /// Deletes the objects that the request selects, all or none.
  func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws
}

/// Reports what a custom store cannot do, or leaves to its context.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store cannot do what was requested.
  case unsupportedFeature
  /// The store asks the context to filter the objects.
  case preferInMemoryFilter
  /// The store asks the context to sort the objects.
  case preferInMemorySort
  /// The store cannot evaluate the predicate.
  case invalidPredicate
}

/// Describes a context to its stores.
public struct EditingState: Identifiable, Sendable {
  /// Identifies the context.
  public let id: UUID
  /// The author of the context's changes; nil for none.
  public var author: String?
}
