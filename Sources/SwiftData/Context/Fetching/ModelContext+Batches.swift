// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

extension ModelContext {
  /// The objects of these identifiers, in their order, read with one statement for each class. An identifier whose row
  /// is gone gives an object without values.
  func objects(_ identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    let missing = identifiers.filter { registered($0).map(\.isFault) ?? true }
    for (_, group) in Dictionary(grouping: missing, by: { ObjectIdentifier($0.id.entity) }) {
      guard let entity = group.first?.id.entity,
        let session = entity.storeIdentifier.flatMap({ session(storeIdentifier: $0) }),
        let binding = session.binding.binding(named: entity.entityName), let plan = session.plan(of: binding.type)
      else { continue }
      // What cannot be read is told when the object is asked for its values.
      let states = try? read(group.compactMap(\.row), plan, session)
      held += states ?? []
    }
    defer { held = [] }
    return identifiers.compactMap(object)
  }

  private func read(_ keys: [Int64], _ plan: RowPlan, _ session: StoreSession) throws -> [any PersistentModel] {
    try session.withStore { store in
      var select = plan.select()
      select.readsKeysOfParameter = true
      let rows = try store.select(select.sql, [.text("[\(keys.map(String.init).joined(separator: ","))]")])
      var found: [any PersistentModel] = []
      while try rows.next() {
        if let state = try state(of: rows.row, plan) { found.append(state.object) }
      }
      return found
    }
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
        try predicate?.evaluate(object) ?? true
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

  /// Objects of the context become what a transaction made of their rows.
  func takeOver(_ saved: SaveResult, _ session: StoreSession) {
    func states(_ kind: ChangeKind) -> [_ModelState] {
      saved.rows(kind).compactMap { row in
        session.binding.binding(number: row.entity).flatMap {
          registered(PersistentIdentifier($0.reference, key: row.key))
        }
      }
    }
    for state in states(.delete) { lose(state) }
    for state in states(.update) where !state.hasChanges { state.isFault = true }
    setPending(pending.filter { $0.status != .gone })
    noteSaved(saved, session)
  }
}
