// SPDX-License-Identifier: MIT

internal import Store

extension ModelContext {
  /// Makes all changes durable, as one history transaction in each store that changed.
  ///
  /// Where another context or process saved the same object meanwhile, this save's changed properties win and the
  /// others keep what that one saved. An object whose row was deleted meanwhile stays deleted.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a missing value, a duplicate, a count or a delete rule, and
  ///   `.saveFailure` for a store that is busy, full or read-only. Nothing of that store is saved then, and the context
  ///   keeps its changes.
  public func save() throws {
    guard hasChanges else {
      setPending([])
      return
    }
    NotificationCenter.default.post(name: Self.willSave, object: self)
    var report = SaveReport()
    var failure: (any Error)?
    for (store, states) in try statesByStore() {
      do { try container.center.saving { try save(states, in: store, &report) } } catch {
        failure = error
        break
      }
    }
    setPending(pending.filter { $0.pin != nil && $0.hasChanges })
    sweepOneWay()
    if !report.isEmpty {
      NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: report.userInfo)
    }
    if let failure { throw failure }
  }

  /// Runs `block`, then saves; if one of them throws, what `block` did is taken back.
  public func transaction(block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      rollback()
      throw error
    }
  }

  /// The changed objects by store. One pass, because many objects are not in a cache.
  private func statesByStore() throws -> [(store: Int, states: [_ModelState])] {
    var groups: [(store: Int, states: [_ModelState])] = []
    var groupsByType: [ObjectIdentifier: Int] = [:]
    var last: (type: ModelType, group: Int)?
    for state in pending where state.hasChanges {
      let group: Int
      if let last, last.type === state.type {
        group = last.group
      } else if let known = groupsByType[ObjectIdentifier(state.type)] {
        group = known
      } else {
        let store = try container.store(of: state.type)
        group = groups.firstIndex { $0.store == store } ?? groups.count
        if group == groups.count { groups.append((store, [])) }
        groupsByType[ObjectIdentifier(state.type)] = group
      }
      last = (state.type, group)
      groups[group].states.append(state)
    }
    return groups
  }

  private func save(_ states: [_ModelState], in store: Int, _ report: inout SaveReport) throws {
    let session: StoreSession
    switch try access(store) {
    case .rows(let found): session = found
    case .snapshots(let found): return try save(states, found, &report)
    }
    try session.refuseReadOnly()
    try session.refuseOutdated(.saving)
    let writer = ObjectWriter(session, states)
    let saved = try session.withStore(.saving) { store in
      try store.save(author: author, process: ProcessInfo.processInfo.processName) { try writer.write($0) }
    }
    // From here on the save is durable: nothing may throw, and nothing is read.
    settle(writer, session, saved, &report)
    noteSaved(saved, session)
  }

  /// Notifies the other contexts of a transaction of this one.
  func noteSaved(_ saved: SaveResult, _ session: StoreSession) {
    guard !saved.isEmpty else { return }
    if session.seen == saved.transaction - 1 {
      session.seen = saved.transaction
    } else {
      changedStores.insert(session.identifier)
    }
    container.center.post(store: session.identifier, transaction: saved.transaction, from: self)
  }

  private func save(_ states: [_ModelState], _ session: any SnapshotSession, _ report: inout SaveReport) throws {
    let (inserted, updated, deleted) = (
      states.filter { $0.status == .inserted }, states.filter { $0.status == .saved },
      states.filter { $0.status == .deleted }
    )
    let saved = try session.save(states)
    for state in inserted {
      forget(state.identifier, state)
      if let identifier = saved.identifiers[state.identifier] { state.identifier = identifier }
      state.status = .saved
      state.settle()
      register(state)
    }
    for state in updated { state.settle() }
    for state in states {
      if let values = saved.values[state.identifier] {
        state.assign(values, object)
        state.settle()
      } else if saved.unread.contains(state.identifier) {
        state.isFault = true
      }
    }
    let gone = deleted.map(\.identifier)
    for state in deleted { lose(state) }
    report.add(inserted.map(\.identifier), updated.map(\.identifier), gone, saved.token, session.identifier)
    container.center.post(store: session.identifier, transaction: 0, from: self)
  }

  /// Applies a save to the objects of the context.
  private func settle(
    _ writer: ObjectWriter, _ session: StoreSession, _ saved: SaveResult, _ report: inout SaveReport
  ) {
    for (state, row) in writer.inserted {
      guard let binding = session.binding.binding(number: row.entity) else { continue }
      forget(state.identifier, state)
      let table = registry.table(binding.reference)
      if let known = table[row.key], known !== state {
        // An object that was inserted over an existing one: both are the same row from now on.
        known.isFault = true
        state.model?.hold(known)
        lose(state)
        continue
      }
      state.identifier = PersistentIdentifier(binding.reference, key: row.key)
      state.status = .saved
      state.version = 1
      state.settle()
      table.insert(state, row.key)
    }
    for state in writer.updated {
      state.settle()
      // What others saved is read at the next access.
      if writer.merged.contains(ObjectIdentifier(state)) { state.isFault = true } else { state.version += 1 }
    }
    for state in writer.deleted + writer.lost { lose(state) }
    guard !saved.isEmpty else { return }
    func identifiers(_ kind: ChangeKind) -> [PersistentIdentifier] {
      saved.rows(kind).compactMap(session.binding.identifier)
    }
    let (inserted, updated, deleted) = (identifiers(.insert), identifiers(.update), identifiers(.delete))
    // Delete rules removed rows, and rows whose relationships changed have another version.
    for state in deleted.compactMap(registered) {
      state.forgetInverses()
      lose(state)
    }
    let own = Set(writer.updated.map(ObjectIdentifier.init))
    for identifier in updated {
      guard let state = registered(identifier), !own.contains(ObjectIdentifier(state)), state.status == .saved
      else { continue }
      if state.hasChanges { state.version = -1 } else { state.version += 1 }
    }
    report.add(
      inserted, updated, deleted, DefaultHistoryToken([session.identifier: saved.transaction]), session.identifier)
  }
}

/// The user info of `didSave`.
struct SaveReport {
  private var inserted: [PersistentIdentifier] = []
  private var updated: [PersistentIdentifier] = []
  private var deleted: [PersistentIdentifier] = []
  private var tokens: [String: Int64] = [:]
  private var otherToken: (any HistoryToken)?
  private(set) var isEmpty = true

  mutating func add(
    _ inserted: [PersistentIdentifier], _ updated: [PersistentIdentifier], _ deleted: [PersistentIdentifier],
    _ token: (any HistoryToken)?, _ store: String
  ) {
    isEmpty = false
    Self.append(inserted, to: &self.inserted)
    Self.append(updated, to: &self.updated)
    Self.append(deleted, to: &self.deleted)
    if let token = token as? DefaultHistoryToken {
      tokens[store] = token.number(of: store)
    } else {
      otherToken = token ?? otherToken
    }
  }

  /// Copies nothing for the first store.
  private static func append(_ new: [PersistentIdentifier], to all: inout [PersistentIdentifier]) {
    if all.isEmpty { all = new } else { all += new }
  }

  /// By the cases of `NotificationKey`, by their raw values, and under the short names that some programs read.
  var userInfo: [AnyHashable: Any] {
    var values: [ModelContext.NotificationKey: Any] = [
      .insertedIdentifiers: inserted, .updatedIdentifiers: updated, .deletedIdentifiers: deleted,
    ]
    values[.historyTokens] = tokens.isEmpty ? otherToken : DefaultHistoryToken(tokens)
    var info: [AnyHashable: Any] = ["inserted": inserted, "updated": updated, "deleted": deleted]
    for (key, value) in values { (info[key], info[key.rawValue]) = (value, value) }
    return info
  }
}
