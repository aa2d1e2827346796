// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

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

  /// The object of the current row: the one that is there already, or a new one.
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

  /// Takes over what the row holds now; what was changed here and not saved stays.
  private func refresh(
    _ state: _ModelState, _ statement: Statement, _ plan: RowPlan, _ member: RowPlan.Member
  ) throws {
    let fresh = try plan.read(statement, member)
    state.version = statement.integer(at: RowPlan.version)
    state.takeIn(fresh)
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
      preconditionFailure("\(state.identifier.uri) cannot be read: \(error)")
    }
  }

  private func fill(_ state: _ModelState, _ session: StoreSession) throws -> Bool {
    guard let key = state.identifier.row, let plan = session.plan(of: state.type) else { return false }
    return try session.withStore { store in
      var select = plan.select()
      select.conditions.append("\(select.root.key) = ?1")
      let rows = try store.select(select.sql, [.integer(key)])
      guard try rows.next(), let member = plan.member(number: Int(rows.row.integer(at: RowPlan.number))) else {
        return false
      }
      try refresh(state, rows.row, plan, member)
      return true
    }
  }

  /// The row of an object is gone.
  func lose(_ state: _ModelState) {
    forget(state.identifier, state)
    state.status = .gone
    state.context = nil
    state.settle()
  }

  /// The objects of a to-many relationship: those of the store, and what unsaved changes make of them.
  func targets(of state: _ModelState, at index: Int) -> RelatedObjects {
    guard let target = state.type.properties[index].target.map(ModelType.of) else { return RelatedObjects() }
    var found: [any PersistentModel] = []
    if let key = state.identifier.row,
      let session = session(storeIdentifier: state.identifier.storeIdentifier)
    {
      do { found = try storedTargets(of: state, key, index, target, session) } catch {
        preconditionFailure("\(state.type.name).\(state.type.properties[index].name) cannot be read: \(error)")
      }
    }
    var targets = RelatedObjects(models: found.filter { !$0.isDeleted })
    guard let back = state.type.inverse(of: index), let object = state.model else { return targets }
    for other in pending where target.includes(other.type) && other.status != .deleted {
      guard other.status == .inserted || other.hasChanged(back) else { continue }
      let model = other.object
      let isTarget = other.leads(to: object, at: back)
      guard isTarget != targets.contains(model) else { continue }
      if isTarget { targets.append(model) } else { targets.remove(model) }
    }
    targets.sweep()
    return targets
  }

  private func storedTargets(
    of state: _ModelState, _ key: Int64, _ index: Int, _ target: ModelType, _ session: StoreSession
  ) throws -> [any PersistentModel] {
    guard let binding = session.binding.binding(of: state.type),
      case .relationship(let relationshipIndex) = binding.storage[index],
      let plan = session.plan(of: target)
    else { return [] }
    let relationship = binding.entity.relationships[relationshipIndex]
    let (owner, rows) = (TableAlias(binding.entity, as: "t0"), TableAlias(plan.root.entity, as: "t1"))
    var select = RowSelect(
      owner, plan.columns(of: rows), where: ["\(owner.key) = ?1", "\(rows.key) IS NOT NULL"])
    select.joins = [relationship.join(from: owner.name, as: rows.name)]
    select.order = relationship.order(of: rows.name)
    return try session.withStore { store in
      let rows = try store.select(select.sql, [.integer(key)])
      var objects: [any PersistentModel] = []
      while try rows.next() {
        if let state = try self.state(of: rows.row, plan) { objects.append(state.object) }
      }
      return objects
    }
  }

  /// Takes in what others saved.
  func takeNews() throws {
    guard !news.take().isEmpty else { return }
    for session in sessions where try session.isChanged() { try takeNews(of: session) }
  }

  private func takeNews(of session: StoreSession) throws {
    try session.refuseOutdated()
    let rows = try session.withStore { store in
      try store.withSnapshot {
        let rows = try store.changedRows(after: session.seen)
        session.seen = try store.newest()
        return rows
      }
    }
    for row in rows {
      guard let binding = session.binding.binding(number: row.entity),
        let state = registered(PersistentIdentifier(binding.reference, key: row.key))
      else { continue }
      // Also to tell observers: what is gone, and what has other values now.
      if state.status == .saved, !state.isFault, try !fill(state, session) { lose(state) }
    }
  }
}

extension _ModelState {
  func hasChanged(_ index: Int) -> Bool { changed.contains(index) }

  func leads(to object: any PersistentModel, at index: Int) -> Bool {
    switch slots[index] {
    case .one(let target): target === object
    case .row(let identifier): identifier == object.persistentModelID
    case .many: withTargets(at: index) { $0.contains(object) } ?? false
    default: false
    }
  }

  /// Takes over what the row holds; what was changed here and not saved stays.
  func takeIn(_ fresh: ContiguousArray<Slot>) {
    let wasFault = isFault
    isFault = false
    for index in fresh.indices {
      if case .unset = fresh[index] { continue }
      originals?[index] = fresh[index]
      guard !changed.contains(index) else { continue }
      // To-many relationships are read again at the next access.
      if wasFault { slots[index] = fresh[index] } else { announce(index) { slots[index] = fresh[index] } }
    }
  }

  /// The context is deallocated: objects must not keep each other alive.
  func letGo() {
    pin = nil
    for index in slots.indices {
      switch slots[index] {
      case .one(let target?): slots[index] = .row(target.persistentModelID)
      case .many: slots[index] = .unread
      default: continue
      }
    }
  }
}
