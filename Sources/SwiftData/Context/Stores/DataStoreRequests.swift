// SPDX-License-Identifier: MIT

/// A fetch that a context asks a store for.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// The context that asks.
  public let editingState: EditingState
  /// Which objects to fetch, and in which order.
  public let descriptor: FetchDescriptor<T>
}

/// What a store returns for a fetch.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot> {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<T>
  /// The snapshots of the selected objects, in the descriptor's order.
  public let fetchedSnapshots: [Snapshot]
  /// Snapshots of related objects, where the store has read them too.
  public let relatedSnapshots: [PersistentIdentifier: Snapshot]

  /// Creates the result of a fetch.
  public init(
    descriptor: FetchDescriptor<T>, fetchedSnapshots: [Snapshot],
    relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save. Inserted objects carry temporary identifiers.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot> {
  /// The new objects.
  public let inserted: [Snapshot]
  /// The objects with changed values.
  public let updated: [Snapshot]
  /// The objects to delete.
  public let deleted: [Snapshot]
  /// The context that saves.
  public let editingState: EditingState
}

/// What a store returns for a save.
public final class DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot> {
  /// The permanent identifier of each temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The identifier of the store.
  public let storeIdentifier: String
  /// Objects whose values the store changed while it saved them.
  public let snapshotsToReregister: [PersistentIdentifier: Snapshot]
  /// The token after the save; nil for a store without history.
  public let historyToken: (any HistoryToken)?

  /// Creates the result of a save.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: Snapshot] = [:], historyToken: (any HistoryToken)? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}

/// A deletion by predicate that a context asks a store for.
public struct DataStoreBatchDeleteRequest<T: PersistentModel> {
  /// The context that asks.
  public let editingState: EditingState
  /// Selects the objects to delete; nil for all of the class.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are deleted too.
  public let includeSubclasses: Bool
}
