// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// A fetch descriptor as SQL, for one context.
struct ObjectQuery<Model: PersistentModel>: StoredObjects {
  let descriptor: FetchDescriptor<Model>
  private let context: ModelContext
  private let session: StoreSession
  private let plan: RowPlan
  private let predicate: CompiledPredicate?
  private let order: CompiledOrder

  init(_ descriptor: FetchDescriptor<Model>, _ session: StoreSession, _ context: ModelContext) throws {
    let type = ModelType.of(Model.self)
    self.session = session
    let wanted = try descriptor.propertiesToFetch.map { path in
      guard let index = type.index(of: path) else {
        throw SwiftDataError(.unsupportedKeyPath, "\(Model.self): only stored properties can be fetched")
      }
      return index
    }
    guard let plan = session.plan(of: type, only: wanted.isEmpty ? nil : Set(wanted)) else {
      throw SwiftDataError(.unknownSchema, "\(Model.self) is not in the store: name it in the container's schema")
    }
    self.descriptor = descriptor
    self.context = context
    self.plan = plan
    let (binding, root) = (session.binding, plan.root)
    predicate = try descriptor.predicate.map {
      try PredicateCompiler(store: binding, root: root, alias: "t0").compile($0)
    }
    order = try SortCompiler(store: binding, root: root, alias: "t0").compile(descriptor.sortBy)
  }

  var isSelectionTouchedByRelated: Bool { predicate.map { isTouched($0.touched, referred: $0.referred) } ?? false }
  var isOrderTouchedByRelated: Bool { isTouched(order.touched) }

  /// Whether objects of these classes have unsaved changes.
  ///
  /// - Parameter referred: Classes of which only deletes count: a row refers to a deleted object until the save.
  private func isTouched(_ classes: Set<ObjectIdentifier>, referred: Set<ObjectIdentifier> = []) -> Bool {
    guard !classes.isEmpty || !referred.isEmpty else { return false }
    return context.pending.contains { state in
      let classes = state.isDeleted ? classes.union(referred) : classes
      return state.hasChanges && state.type.lineage.contains { classes.contains(ObjectIdentifier($0)) }
    }
  }

  // MARK: Running

  func run() throws -> [Model] { try objects(select(limited: true).sql, bindings) }

  func runUnlimited() throws -> [Model] {
    var select = select(limited: false, ordered: false)
    select.order = [select.root.key]
    return try objects(select.sql, bindings)
  }

  func runWithoutPredicate() throws -> [Model] {
    var select = plan.select()
    select.order = [select.root.key]
    return try objects(select.sql, [])
  }

  private func objects(_ text: String, _ bindings: [Value]) throws -> [Model] {
    try session.withStore { store in
      let objects = try context.objects(of: try select(text, bindings, in: store), plan)
      return objects.withUnsafeBytes { Array($0.assumingMemoryBound(to: Model.self)) }
    }
  }

  func identifiers() throws -> [PersistentIdentifier] {
    var select = select(limited: true)
    let (number, reference) = (Int64(plan.root.entity.number), plan.root.reference)
    if plan.isUniform {
      select.columns = [select.root.key]
      return try session.withStore { store in
        let rows = try self.select(select.sql, bindings, in: store)
        var keys: [Int64] = []
        while try rows.next() { keys.append(rows.row.integer(at: 0)) }
        return keys.map { PersistentIdentifier(reference, key: $0) }
      }
    }
    select.columns = [select.root.key, select.root.entityNumber]
    return try session.withStore { store in
      let rows = try self.select(select.sql, bindings, in: store)
      var found: [PersistentIdentifier] = []
      while try rows.next() {
        let key = rows.row.integer(at: 0)
        let entity = rows.row.integer(at: 1)
        if entity == number {
          found.append(PersistentIdentifier(reference, key: key))
        } else if let member = plan.member(number: Int(entity)) {
          found.append(PersistentIdentifier(member.binding.reference, key: key))
        }
      }
      return found
    }
  }

  func count() throws -> Int {
    let isWhole = (descriptor.fetchLimit ?? -1) < 0 && (descriptor.fetchOffset ?? 0) <= 0
    var select = select(limited: !isWhole, ordered: false)
    select.columns = [isWhole ? "COUNT(*)" : "1"]
    let text = isWhole ? select.sql : "SELECT COUNT(*) FROM (\(select.sql))"
    return try session.withStore { store in
      let rows = try self.select(text, bindings, in: store)
      return try rows.next() ? Int(rows.row.integer(at: 0)) : 0
    }
  }

  private func select(_ text: String, _ bindings: [Value], in store: PersistentStore) throws -> Selection {
    do { return try store.select(text, bindings) } catch let error as StoreError where error.code == .notCompiled {
      // Another process may have changed the model since it was compared.
      try store.withSnapshot(store.refuseReplaced)
      throw refusal(error, store) ?? error
    }
  }

  /// The part of the descriptor that SQLite does not accept; nil where the store lacks what every fetch reads.
  private func refusal(_ error: StoreError, _ store: PersistentStore) -> SwiftDataError? {
    func isRefused(_ select: RowSelect) -> Bool { (try? store.select(select.sql)) == nil }
    let all = plan.select()
    var sorted = all
    (sorted.joins, sorted.order) = ([order.joins], order.terms)
    guard predicate != nil || !order.terms.isEmpty, !isRefused(all) else { return nil }
    if predicate == nil || (!order.terms.isEmpty && isRefused(sorted)) {
      return SwiftDataError(
        .unsupportedSortDescriptor, "SQLite does not accept the sort order of the fetch of \(Model.self)",
        underlying: error.cause)
    }
    return SwiftDataError(
      .unsupportedPredicate, "SQLite does not accept the predicate of the fetch of \(Model.self)",
      underlying: error.cause)
  }

  var bindings: [Value] { predicate?.bindings ?? [] }

  /// - Parameter limited: With the descriptor's limit and offset.
  func select(limited: Bool, ordered: Bool = true) -> RowSelect {
    var select = plan.select()
    select.joins = [predicate?.narrowingJoins ?? predicate?.joins ?? ""]
    if let condition = predicate?.condition { select.conditions.append(condition) }
    if ordered {
      // SQLite would rather read all rows in their order than sort a few, which it finds by related rows. So it finds
      // their keys first.
      if predicate?.narrowingJoins != nil {
        var found = select
        found.columns = [select.root.key]
        select = plan.select()
        select.conditions.append("\(select.root.key) IN (\(found.sql))")
      }
      select.joins.append(order.joins)
      select.order = order.terms
    }
    if limited {
      select.limit = descriptor.fetchLimit.flatMap { $0 >= 0 ? $0 : nil }
      select.offset = max(0, descriptor.fetchOffset ?? 0)
    }
    return select
  }
}
