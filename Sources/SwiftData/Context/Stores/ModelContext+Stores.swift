// SPDX-License-Identifier: MIT

/// How a context reaches one store.
enum StoreAccess {
  /// The default store, by its rows.
  case rows(StoreSession)
  case snapshots(any SnapshotSession)

  /// The session of the default store; nil for another store.
  var session: StoreSession? { if case .rows(let session) = self { session } else { nil } }
}

extension ModelContext {
  /// - Throws: `SwiftDataError.unknownSchema`, and `.loadIssueModelContainer` where the store is no longer the one that
  ///   was opened.
  func access(of type: ModelType) throws -> StoreAccess {
    let access = try access(container.store(of: type))
    try access.session?.refuseOutdated()
    return access
  }

  /// - Parameter store: Index of the container's stores.
  func access(_ store: Int) throws -> StoreAccess {
    if let known = accesses[store] { return known }
    func snapshots<Store: DataStore>(_ store: Store) -> any SnapshotSession { TypedSnapshotSession(store, self) }
    let made: StoreAccess =
      if let store = container.stores[store] as? any RowStore {
        .rows(try store.session())
      } else {
        .snapshots(snapshots(container.stores[store]))
      }
    accesses[store] = made
    return made
  }

  func access(storeIdentifier: String?) -> StoreAccess? {
    guard let storeIdentifier else { return nil }
    return container.stores.firstIndex { $0.identifier == storeIdentifier }.flatMap { try? access($0) }
  }

  /// The class that an identifier names, where its store is one of the container's.
  func type(of identifier: PersistentIdentifier) -> ModelType? {
    guard let store = container.stores.first(where: { $0.identifier == identifier.storeIdentifier }) else { return nil }
    return store.schema.types.first { $0.name == identifier.entityName }
  }
}
