// SPDX-License-Identifier: MIT

/// The default store takes and gives whole snapshots, as any other store. Contexts read and write its rows directly.
extension DefaultStore: RowStore, DataStoreBatching {
  /// The type that carries the values of one object.
  public typealias Snapshot = DefaultSnapshot

  /// A context of its own for one request.
  func context(_ state: EditingState) -> ModelContext {
    let context = ModelContext(ModelContainer(over: self))
    context.editingState = state
    return context
  }

  /// Fetches snapshots with a context of their own.
  public func fetch<Model>(
    _ request: DataStoreFetchRequest<Model>
  ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
    let context = context(request.editingState)
    let snapshots = try context.fetch(request.descriptor).map { DefaultSnapshot($0.state) }
    return withExtendedLifetime(context) {
      DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }
  }

  /// The number of objects that the request selects.
  public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
    try context(request.editingState).fetchCount(request.descriptor)
  }

  /// The identifiers of the objects that the request selects, in its order.
  public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
    try context(request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Saves the changes as one history transaction, all or none.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(request.editingState)
    var objects: [PersistentIdentifier: any PersistentModel] = [:]
    for snapshot in request.inserted {
      guard let type = schema.types.first(where: { $0.name == snapshot.persistentIdentifier.entityName }) else {
        throw SwiftDataError(
          .unknownDataStoreSchema, "\(snapshot.persistentIdentifier.entityName) is not in the store's schema")
      }
      let object = type.object(_ModelState(type))
      objects[snapshot.persistentIdentifier] = object
    }
    func object(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      objects[identifier] ?? context.object(identifier)
    }
    for snapshot in request.updated { objects[snapshot.persistentIdentifier] = object(snapshot.persistentIdentifier) }
    for snapshot in request.inserted + request.updated {
      objects[snapshot.persistentIdentifier]?.state.assign(snapshot.values, object)
    }
    for snapshot in request.inserted { objects[snapshot.persistentIdentifier].map(context.adopt) }
    for snapshot in request.deleted { object(snapshot.persistentIdentifier).map(context.remove) }
    try context.save()
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        uniqueKeysWithValues: request.inserted.compactMap { snapshot in
          objects[snapshot.persistentIdentifier].map { (snapshot.persistentIdentifier, $0.persistentModelID) }
        }))
  }

  /// Deletes the selected objects, as one history transaction.
  public func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
    try context(request.editingState).delete(
      model: Model.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
  }

  /// Deletes every object, in one history transaction.
  public func erase() throws {
    let context = context(EditingState(id: UUID()))
    if let session = try context.access(0).session { try context.erase(session) }
  }
}
