// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Rows that become objects.
extension ModelContext {
  /// The objects of all rows, each of the plan's class. Not generic: code for any class runs slower for each row.
  func objects(of rows: Selection, _ plan: RowPlan) throws -> ContiguousArray<AnyObject> {
    var found: ContiguousArray<AnyObject> = []
    while try rows.next() {
      if let state = try state(of: rows.row, plan) { found.append(state.object) }
    }
    return found
  }

  /// The object of the current row: the registered one, or a new one.
  func state(of statement: Statement, _ plan: RowPlan) throws -> _ModelState? {
    guard let member = plan.member(number: Int(statement.integer(at: RowPlan.number))) else { return nil }
    let key = statement.integer(at: RowPlan.key)
    let version = statement.integer(at: RowPlan.version)
    let table = registry.table(member.binding.reference)
    if let known = table[key] {
      guard known.isFault || known.version != version else { return known }
      if plan.isWhole {
        try refresh(known, statement, plan, member)
      } else {
        fill(known)
      }
      return known
    }
    let state = _ModelState(member.binding.type, try plan.read(statement, member))
    state.isPartial = !plan.isWhole
    state.identifier = PersistentIdentifier(member.binding.reference, key: key)
    state.version = version
    state.status = .saved
    table.insert(state, key)
    state.context = self
    return state
  }

  /// Takes over what the row holds now; unsaved changes stay.
  private func refresh(
    _ state: _ModelState, _ statement: Statement, _ plan: RowPlan, _ member: RowPlan.Member
  ) throws {
    let fresh = try plan.read(statement, member)
    state.version = statement.integer(at: RowPlan.version)
    state.merge(fresh)
    if plan.isWhole { state.isPartial = false }
  }

  /// Reads the row of a fault.
  func fill(_ state: _ModelState) {
    state.isFault = false
    state.isPartial = false
    guard state.status != .gone, let access = access(storeIdentifier: state.identifier.storeIdentifier) else {
      return
    }
    do {
      let isThere =
        switch access {
        case .rows(let session): try fill(state, session)
        case .snapshots(let session): try session.fill(state)
        }
      if !isThere { lose(state) }
    } catch {
      preconditionFailure("\(state.identifier.uriRepresentation) cannot be read: \(error)")
    }
  }

  private func fill(_ state: _ModelState, _ session: StoreSession) throws -> Bool {
    guard let key = state.identifier.row, let plan = session.plan(of: state.type) else { return false }
    return try session.withStore { store in
      var select = plan.select()
      select.conditions.append("\(select.root.key) = ?1")
      let rows = try store.select(select.sql, [.integer(key)])
      // An identifier that was not made here may name a row of a subclass as one of its superclass.
      guard try rows.next(), let member = plan.member(number: Int(rows.row.integer(at: RowPlan.number))),
        member.binding.type === state.type
      else { return false }
      try refresh(state, rows.row, plan, member)
      return true
    }
  }

  /// The row of an object is gone.
  func lose(_ state: _ModelState) { release(state, as: .gone) }

  /// The object leaves the context, and its unsaved changes are dropped.
  func release(_ state: _ModelState, as status: _ModelState.Status) {
    forget(state.identifier, state)
    (state.status, state.ends) = (status, .cut)
    state.context = nil
    state.settle()
  }

  /// The objects of a to-many relationship: those of the store, changed as the unsaved changes say.
  func targets(of state: _ModelState, at index: Int) -> RelatedObjects {
    let property = state.type.properties[index]
    guard let target = property.target.map(ModelType.of), let coder = property.collection else {
      return RelatedObjects()
    }
    var stored: [AnyObject] = []
    do { stored = try storedTargets(of: state, at: index).filter { !coder.model($0).isDeleted } } catch {
      preconditionFailure("\(state.type.name).\(property.name) cannot be read: \(error)")
    }
    var targets = RelatedObjects(stored)
    guard let back = state.type.inverse(of: index), let object = state.model else { return targets }
    for other in pending where target.includes(other.type) && other.status != .deleted {
      guard other.status == .inserted || other.changed.contains(back) else { continue }
      let model = other.object
      let isTarget = other.leads(to: object, at: back)
      guard isTarget != targets.contains(model) else { continue }
      if isTarget { targets.append(model) } else { targets.remove(model) }
    }
    targets.sweep()
    return targets
  }

  private func storedTargets(of state: _ModelState, at index: Int) throws -> ContiguousArray<AnyObject> {
    guard let key = state.identifier.row,
      let session = access(storeIdentifier: state.identifier.storeIdentifier)?.session,
      let select = RelationshipSelect(state.type, index, session)
    else { return [] }
    var statement = select.statement
    statement.conditions.insert("\(select.owner.key) = ?1", at: 0)
    return try session.withStore { store in
      try objects(of: store.select(statement.sql, [.integer(key)]), select.plan)
    }
  }

  /// Merges what others saved into the objects of the context.
  func mergeChanges() throws {
    guard changedStores.removeAll() else { return }
    for session in accesses.values.compactMap(\.session) where try session.isChanged() { try mergeChanges(of: session) }
  }

  private func mergeChanges(of session: StoreSession) throws {
    try session.refuseOutdated()
    let rows = try session.withStore { store in
      try store.withSnapshot {
        let rows = try store.changedRows(after: session.seen)
        session.seen = try store.newest()
        return rows
      }
    }
    // Filled at once, so that observers are notified of new values and of deleted rows.
    let held = rows.compactMap(session.binding.identifier).compactMap(registered).filter {
      $0.status == .saved && !$0.isFault
    }
    for (_, states) in Dictionary(grouping: held, by: { ObjectIdentifier($0.type) }) { try refresh(states, session) }
  }

  /// Reads the rows of objects of one class, with one statement.
  private func refresh(_ states: [_ModelState], _ session: StoreSession) throws {
    guard let type = states.first?.type, let plan = session.plan(of: type) else { return }
    let found = try session.withStore { store in
      let rows = try select(states.compactMap(\.identifier.row), plan, in: store)
      var found: Set<ObjectIdentifier> = []
      while try rows.next() {
        if let state = try state(of: rows.row, plan) { found.insert(ObjectIdentifier(state)) }
      }
      return found
    }
    for state in states where state.status == .saved && !found.contains(ObjectIdentifier(state)) { lose(state) }
  }

  /// The rows with these keys, in their order.
  func select(_ keys: [Int64], _ plan: RowPlan, in store: PersistentStore) throws -> Selection {
    var select = plan.select()
    select.readsKeysOfParameter = true
    return try store.select(select.sql, [.text("[\(keys.map(String.init).joined(separator: ","))]")])
  }
}
