// SPDX-License-Identifier: MIT

/// A fetch that a context asks a store for.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The context that asks.
  public let editingState: EditingState
  /// Which objects to fetch, and in which order.
  public let descriptor: FetchDescriptor<T>
}

/// What a store returns for a fetch.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The snapshots of the selected objects, in the descriptor's order.
  public let fetchedSnapshots: [SnapshotType]
  /// Snapshots of related objects, where the store has read them too.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates the result of a fetch.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save. Inserted objects carry temporary identifiers.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The new objects.
  public let inserted: [SnapshotType]
  /// The objects with changed values.
  public let updated: [SnapshotType]
  /// The objects to delete.
  public let deleted: [SnapshotType]
  /// The context that saves.
  public let editingState: EditingState
}

/// What a store returns for a save.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The permanent identifier of each temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The identifier of the store.
  public let storeIdentifier: String
  /// Objects whose values the store changed while it saved them.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The token after the save; nil for a store without history.
  public let historyToken: (any HistoryToken)?

  /// Creates the result of a save.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }

  /// Creates the result of a save in a store without history.
  public convenience init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers, snapshotsToReregister: snapshotsToReregister,
      historyToken: nil)
  }
}

/// A deletion by predicate that a context asks a store for.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that asks.
  public let editingState: EditingState
  /// Selects the objects to delete; nil for all of the class.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are deleted too.
  public let includeSubclasses: Bool
}
