public struct DataStoreFetchRequest<T: PersistentModel> {
  public let editingState: EditingState
  public let descriptor: FetchDescriptor<T>
}

public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot> {
  public let descriptor: FetchDescriptor<T>
  public let fetchedSnapshots: [Snapshot]
  /// Snapshots of objects that the fetched ones lead to, where the store has them at hand.
  public let relatedSnapshots: [PersistentIdentifier: Snapshot]

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
  public let inserted: [Snapshot]
  public let updated: [Snapshot]
  public let deleted: [Snapshot]
  public let editingState: EditingState
}

public final class DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot> {
  /// The permanent identifier of each temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  public let storeIdentifier: String
  /// Objects whose values the store changed while it saved them.
  public let snapshotsToReregister: [PersistentIdentifier: Snapshot]
  public let historyToken: (any HistoryToken)?

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

public struct DataStoreBatchDeleteRequest<T: PersistentModel> {
  public let editingState: EditingState
  public let predicate: Predicate<T>?
  public let includeSubclasses: Bool
}
