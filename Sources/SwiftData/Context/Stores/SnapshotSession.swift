// SPDX-License-Identifier: MIT

/// One context's access to a custom store, which reads and writes whole snapshots.
protocol SnapshotSession: AnyObject {
  var identifier: String { get }
  func objects<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> any StoredObjects<Model>
  /// Reads the values of a fault; false where its object is gone.
  func fill(_ state: _ModelState) throws -> Bool
  /// Saves the changes of these objects, all or none.
  func save(_ states: [_ModelState]) throws -> SnapshotSave
  func delete<Model: PersistentModel>(_ predicate: Predicate<Model>?, includeSubclasses: Bool) throws -> Bool
}

/// The result of a save in a custom store.
struct SnapshotSave {
  var identifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Values that the store changed.
  var values: [PersistentIdentifier: [String: Any]]
  /// Objects whose changed values the store's snapshots did not encode. They are read again at the next access.
  var unread: Set<PersistentIdentifier>
  var token: (any HistoryToken)?
}

final class TypedSnapshotSession<Store: DataStore>: SnapshotSession {
  fileprivate let store: Store
  fileprivate unowned let context: ModelContext
  /// The editing state that the store was initialised with.
  private let editing: EditingState

  init(_ store: Store, _ context: ModelContext) {
    self.store = store
    self.context = context
    editing = context.editingState
    store.initializeState(for: editing)
  }

  deinit { store.invalidateState(for: editing) }

  var identifier: String { store.identifier }

  // MARK: Reading

  func objects<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> any StoredObjects<Model> {
    SnapshotQuery(descriptor: descriptor, session: self)
  }

  /// Fetches from the store, then filters or sorts in memory where the store leaves it to the context.
  fileprivate func fetch<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
    let found: [Model]
    do {
      return try objects(of: store.fetch(request(descriptor)))
    } catch DataStoreError.preferInMemoryFilter {
      let all = try objects(of: store.fetch(request(FetchDescriptor<Model>())))
      found = try all.filter { try descriptor.predicate?.holds(for: $0) ?? true }
    } catch DataStoreError.preferInMemorySort {
      var unsorted = descriptor
      (unsorted.sortBy, unsorted.fetchLimit, unsorted.fetchOffset) = ([], nil, nil)
      found = try objects(of: store.fetch(request(unsorted)))
    }
    return ModelContext.part(ObjectOrder(descriptor.sortBy).sorted(found), descriptor)
  }

  fileprivate func request<Model>(_ descriptor: FetchDescriptor<Model>) -> DataStoreFetchRequest<Model> {
    DataStoreFetchRequest(editingState: context.editingState, descriptor: descriptor)
  }

  private func objects<Model>(of result: DataStoreFetchResult<Model, Store.Snapshot>) throws -> [Model] {
    for snapshot in result.relatedSnapshots.values { _ = try object(snapshot) }
    return try result.fetchedSnapshots.compactMap { try object($0) as? Model }
  }

  private func object(_ snapshot: Store.Snapshot) throws -> (any PersistentModel)? {
    guard let object = context.object(snapshot.persistentIdentifier) else { return nil }
    if object.state.isFault || !object.state.hasChanges { try load(object.state, SnapshotValues.of(snapshot)) }
    return object
  }

  /// Sets the saved values of an object to those of a snapshot.
  private func load(_ state: _ModelState, _ values: [String: Any]) throws {
    var fresh = state.slots
    for property in state.type.properties where property.isStored {
      fresh[property.index] = try slot(values[property.name], of: property, in: state.type)
    }
    state.merge(fresh)
  }

  private func slot(_ value: Any?, of property: PropertyType, in type: ModelType) throws -> Slot {
    switch property.kind {
    case .attribute:
      guard let value else { return .unset }
      if let slot = property.coder?.slot(any: value) { return slot }
    case .toOne:
      guard let value else { return .one(nil) }
      if let identifier = value as? PersistentIdentifier { return .row(identifier) }
      if let identifier = value as? PersistentIdentifier? { return identifier.map(Slot.row) ?? .one(nil) }
    case .toMany:
      guard let value else { return .many(RelatedObjects()) }
      if let identifiers = value as? [PersistentIdentifier] {
        return .many(RelatedObjects(models: identifiers.compactMap { context.object($0) }))
      }
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "the store \(store.identifier) gave \(type.name).\(property.name) a value that is not of type \(property.valueType)"
    )
  }

  func fill(_ state: _ModelState) throws -> Bool {
    let identifier = state.identifier
    if let snapshot = try store.cachedSnapshots(for: [identifier], editingState: context.editingState)[identifier] {
      try load(state, SnapshotValues.of(snapshot))
      return true
    }
    func all<Model: PersistentModel>(_ type: Model.Type) throws -> [Store.Snapshot] {
      try store.fetch(request(FetchDescriptor<Model>())).fetchedSnapshots
    }
    guard let snapshot = try all(state.type.modelType).first(where: { $0.persistentIdentifier == identifier }) else {
      return false
    }
    try load(state, SnapshotValues.of(snapshot))
    return true
  }

  // MARK: Writing

  func save(_ states: [_ModelState]) throws -> SnapshotSave {
    func snapshots(_ status: _ModelState.Status) -> [Store.Snapshot] {
      states.filter { $0.status == status }.map { snapshot($0.object) }
    }
    let result = try store.save(
      DataStoreSaveChangesRequest(
        inserted: snapshots(.inserted), updated: snapshots(.saved), deleted: snapshots(.deleted),
        editingState: context.editingState))
    // The store has saved, so nothing may be thrown any more.
    let values = result.snapshotsToReregister.compactMapValues { try? SnapshotValues.of($0) }
    return SnapshotSave(
      identifiers: result.remappedIdentifiers, values: values,
      unread: Set(result.snapshotsToReregister.keys).subtracting(values.keys), token: result.historyToken)
  }

  private func snapshot<Model: PersistentModel>(_ model: Model) -> Store.Snapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return Store.Snapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
  }

  func delete<Model: PersistentModel>(_ predicate: Predicate<Model>?, includeSubclasses: Bool) throws -> Bool {
    guard let store = store as? any DataStoreBatching else { return false }
    try store.delete(
      DataStoreBatchDeleteRequest(
        editingState: context.editingState, predicate: predicate, includeSubclasses: includeSubclasses))
    return true
  }
}

/// A fetch from a custom store.
private struct SnapshotQuery<Model: PersistentModel, Store: DataStore>: StoredObjects {
  let descriptor: FetchDescriptor<Model>
  let session: TypedSnapshotSession<Store>

  /// The properties that such a store reads are not known, so any unsaved change may alter its result.
  var isSelectionTouchedByRelated: Bool { descriptor.predicate != nil && session.context.hasChanges }
  var isOrderTouchedByRelated: Bool {
    let type = ModelType.of(Model.self)
    let isOwn = descriptor.sortBy.allSatisfy { descriptor in
      descriptor.keyPath.map { type.index(of: $0) != nil || type.isIdentity($0) } ?? false
    }
    return !isOwn && session.context.hasChanges
  }

  func run() throws -> [Model] { try session.fetch(descriptor) }

  func runUnlimited() throws -> [Model] {
    var all = descriptor
    (all.sortBy, all.fetchLimit, all.fetchOffset) = ([], nil, nil)
    return try session.fetch(all)
  }

  func runWithoutPredicate() throws -> [Model] { try session.fetch(FetchDescriptor<Model>()) }

  func identifiers() throws -> [PersistentIdentifier] {
    let request = session.request(descriptor)
    do { return try session.store.fetchIdentifiers(request) } catch is DataStoreError {
      return try run().map(\.persistentModelID)
    }
  }

  func count() throws -> Int {
    let request = session.request(descriptor)
    do { return try session.store.fetchCount(request) } catch is DataStoreError { return try run().count }
  }
}
