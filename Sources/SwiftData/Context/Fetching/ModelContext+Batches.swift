// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

extension ModelContext {
  /// The objects of these identifiers, in their order, read with one statement for each class. An object whose row is
  /// gone has no values.
  func objects(_ identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    let missing = identifiers.filter { registered($0).map(\.isFault) ?? true }
    for (_, group) in Dictionary(grouping: missing, by: { ObjectIdentifier($0.id.entity) }) {
      guard let entity = group.first?.id.entity,
        let session = access(storeIdentifier: entity.storeIdentifier)?.session,
        let binding = session.binding.binding(named: entity.entityName), let plan = session.plan(of: binding.type)
      else { continue }
      // Rows that cannot be read fail at the first access to their values.
      if let objects = try? read(group.compactMap(\.row), plan, session) { held += objects }
    }
    defer { held = [] }
    return identifiers.compactMap(object)
  }

  private func read(
    _ keys: [Int64], _ plan: RowPlan, _ session: StoreSession
  ) throws -> ContiguousArray<AnyObject> {
    try session.withStore { try objects(of: select(keys, plan, in: $0), plan) }
  }

  /// Deletes the objects that a predicate selects, one history transaction in all. It is saved at once.
  ///
  /// Objects of the context that are among them are gone afterwards; delete rules are obeyed.
  public func delete<Model: PersistentModel>(
    model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true
  ) throws {
    var descriptor = FetchDescriptor<Model>(predicate: predicate)
    descriptor.includePendingChanges = false
    let type = ModelType.of(model)
    let identifiers = try fetchIdentifiers(descriptor).filter {
      includeSubclasses || $0.entityName == type.name
    }
    for state in pending where state.status == .inserted && type.includes(state.type) {
      guard includeSubclasses || state.type === type, let object = state.object as? Model,
        try predicate?.holds(for: object) ?? true
      else { continue }
      remove(object)
    }
    switch try access(of: type) {
    case .rows(let session): try container.center.saving { try deleteRows(identifiers, session) }
    case .snapshots(let session):
      guard try session.delete(predicate, includeSubclasses: includeSubclasses) else {
        throw DataStoreError.unsupportedFeature
      }
      for identifier in identifiers { if let state = registered(identifier) { lose(state) } }
    }
  }

  /// Deletes every object of a store, one history transaction in all.
  func erase(_ session: StoreSession) throws {
    try session.refuseOutdated()
    let identifiers = try session.withStore { store in
      try session.binding.bindings.sorted { $0.entity.number < $1.entity.number }.flatMap { binding in
        let table = TableAlias(binding.entity, as: "t0")
        var select = RowSelect(table, [table.key], where: [table.isOf(entities: [binding.entity.number])])
        select.order = [table.key]
        let rows = try store.select(select.sql)
        var found: [PersistentIdentifier] = []
        while try rows.next() { found.append(PersistentIdentifier(binding.reference, key: rows.row.integer(at: 0))) }
        return found
      }
    }
    try container.center.saving { try deleteRows(identifiers, session) }
  }

  private func deleteRows(_ identifiers: [PersistentIdentifier], _ session: StoreSession) throws {
    try session.refuseReadOnly()
    guard !identifiers.isEmpty else { return }
    let saved = try session.withStore(.saving) { store in
      try store.save(author: author, process: ProcessInfo.processInfo.processName) { save in
        for identifier in identifiers {
          guard let key = identifier.row, let binding = session.binding.binding(named: identifier.entityName) else {
            continue
          }
          _ = try save.delete(binding.entity, key: key)
        }
      }
    }
    takeOver(saved, session)
  }

  /// Applies the changes of a transaction to the objects of the context.
  func takeOver(_ saved: SaveResult, _ session: StoreSession) {
    func states(_ kind: ChangeKind) -> [_ModelState] {
      saved.rows(kind).compactMap(session.binding.identifier).compactMap(registered)
    }
    for state in states(.delete) {
      state.forgetInverses()
      lose(state)
      hasRemoved = true
    }
    for state in states(.update) where !state.hasChanges { state.isFault = true }
    setPending(pending.filter { $0.status != .gone })
    sweepOneWay()
    noteSaved(saved, session)
  }
}
