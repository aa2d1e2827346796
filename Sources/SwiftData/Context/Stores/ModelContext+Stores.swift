// SPDX-License-Identifier: MIT

/// How a context reaches one store.
enum StoreAccess {
  /// The default store, by its rows.
  case rows(StoreSession)
  case snapshots(any SnapshotSession)
}

extension ModelContext {
  /// - Throws: `SwiftDataError.unknownSchema`, and `.loadIssueModelContainer` where the store is no longer the one that
  ///   was opened.
  func access(of type: ModelType) throws -> StoreAccess {
    guard let store = container.store(of: type) else {
      throw SwiftDataError(
        .unknownSchema, "\(type.name) is in no store of the container: name it in the container's schema")
    }
    let access = try access(store)
    if case .rows(let session) = access { try session.refuseOutdated() }
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

  func session(storeIdentifier: String?) -> StoreSession? {
    guard case .rows(let session) = access(storeIdentifier: storeIdentifier) else { return nil }
    return session
  }

  var sessions: [StoreSession] {
    accesses.values.compactMap { access in
      if case .rows(let session) = access { session } else { nil }
    }
  }

  /// The class that an identifier names, where its store is one of the container's.
  func type(of identifier: PersistentIdentifier) -> ModelType? {
    guard let store = container.stores.first(where: { $0.identifier == identifier.storeIdentifier }) else { return nil }
    return store.schema.types.first { $0.name == identifier.entityName }
  }
}
