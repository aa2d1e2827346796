// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Makes typed changes of a store's history.
struct HistoryReader {
  let session: StoreSession

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a preserved value that is not of its attribute's type.
  func transaction(_ found: StoredTransaction) throws -> DefaultHistoryTransaction {
    let identifier = session.identifier
    return DefaultHistoryTransaction(
      timestamp: Date(timeIntervalSinceReferenceDate: found.timestamp),
      changes: try found.changes.compactMap { try change($0, of: found.number) },
      token: DefaultHistoryToken([identifier: found.number]), transactionIdentifier: found.number,
      storeIdentifier: identifier, bundleIdentifier: found.bundle ?? "", processIdentifier: found.process ?? "",
      author: found.author)
  }

  /// nil for a change to an entity that the schema does not name.
  private func change(_ change: StoredChange, of transaction: Int64) throws -> HistoryChange? {
    guard let binding = session.binding.binding(number: change.row.entity) else { return nil }
    return try typed(change, transaction, binding, binding.type.modelType)
  }

  private func typed<Model: PersistentModel>(
    _ change: StoredChange, _ transaction: Int64, _ binding: EntityBinding, _ model: Model.Type
  ) throws -> HistoryChange {
    let identifier = PersistentIdentifier(binding.reference, key: change.row.key)
    switch change.kind {
    case .insert:
      return .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: change.number, transactionIdentifier: transaction, changedPersistentIdentifier: identifier))
    case .update:
      return .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: change.number, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
          updatedAttributes: updated(change.bitmap ?? [], binding)))
    case .delete:
      return .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: change.number, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
          tombstone: HistoryTombstone<Model>(try preserved(change.tombstone, binding))))
    }
  }

  /// The key paths of the properties of a bitmap. One that cannot be read, of an older model, names none.
  private func updated<Model: PersistentModel>(
    _ bitmap: [UInt8], _ binding: EntityBinding
  ) -> [any PartialKeyPath<Model> & Sendable] {
    let properties = Set(binding.entity.properties(of: bitmap) ?? [])
    var found: [any PartialKeyPath<Model> & Sendable] = []
    for (index, column) in binding.storage.enumerated() {
      let isUpdated: Bool
      switch column {
      case .attribute(let attribute): isUpdated = properties.contains(.attribute(attribute))
      case .composite(let attributes): isUpdated = attributes.contains { properties.contains(.attribute($0)) }
      case .assembled(let sources):
        isUpdated = sources.contains { $0.attributes.contains { properties.contains(.attribute($0)) } }
      case .relationship(let relationship): isUpdated = properties.contains(.relationship(relationship))
      case .unstored: isUpdated = false
      }
      guard isUpdated, let path = binding.type.properties[index].keyPath as? PartialKeyPath<Model> else { continue }
      found.append(unsafe(path))
    }
    return found
  }

  /// Key paths of properties capture nothing.
  private func unsafe<Model>(_ path: PartialKeyPath<Model>) -> any PartialKeyPath<Model> & Sendable {
    unsafeBitCast(path, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// The value was made by decoding columns a moment ago: nobody else holds it.
  ///
  /// `Sendable` is a marker without a witness table: both existentials have one layout.
  private func sendable(_ value: Any) -> any Sendable {
    withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: (any Sendable).self) }
  }

  private func preserved(
    _ values: [Value], _ binding: EntityBinding
  ) throws -> [(index: Int, value: any Sendable)] {
    let order = binding.entity.tombstoneOrder
    func value(_ attribute: Int) -> Value {
      order.firstIndex(of: attribute).flatMap { values.indices.contains($0) ? values[$0] : nil } ?? .null
    }
    var found: [(index: Int, value: any Sendable)] = []
    for (index, column) in binding.storage.enumerated() {
      let property = binding.type.properties[index]
      guard let coder = property.coder else { continue }
      let columns: [Value]
      switch column {
      case .attribute(let attribute): columns = [value(attribute)]
      case .composite(let attributes): columns = attributes.map(value)
      case .assembled(let sources):
        columns = sources.map { $0.value(of: binding.entity.entity, .structure, value) }
      case .relationship, .unstored: continue
      }
      guard !columns.allSatisfy(\.isNull) else { continue }
      var slot = coder.slot(columns: columns)
      do {
        let decoded = try coder.any(&slot)
        found.append((index, sendable((decoded as? any OptionalProtocol)?.wrappedValue ?? decoded)))
      } catch {
        // Apple's migrations leave older tombstones as they were, whose columns may now belong to other attributes.
        guard session.isOwn else { continue }
        throw SwiftDataError(
          .loadIssueModelContainer,
          "the history's tombstone of \(binding.type.name).\(property.name) holds no \(property.valueType)",
          underlying: error)
      }
    }
    return found
  }
}

// MARK: Descriptors

extension HistoryReader {
  func transactions(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
    let condition = try TransactionCondition(descriptor.predicate, session.binding)
    return try withStore(.reading, descriptor) { store in
      try store.withSnapshot {
        var found: [DefaultHistoryTransaction] = []
        let limit = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : nil
        try store.transactions(
          where: condition.compiled, orderBy: try TransactionCondition.order(descriptor.sortBy), limit: limit
        ) {
          found.append(try transaction($0))
          return true
        }
        let isPage = found.count == limit && descriptor.sortBy.isEmpty
        try refuseExpired(condition.range, through: isPage ? found.last?.transactionIdentifier : nil, store)
        return found
      }
    }
  }

  func delete(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let condition = try TransactionCondition(descriptor.predicate, session.binding)
    _ = try withStore(.saving, descriptor) { store in try HistoryPurger(store).delete(where: condition.compiled) }
  }

  /// A part of the descriptor is unsupported where SQLite does not accept the statement, but accepts one without it. The
  /// history is damaged where it does not.
  private func withStore<Result>(
    _ task: StoreTask, _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    _ body: (PersistentStore) throws -> Result
  ) throws -> Result {
    try session.withStore(task) { store in
      do { return try body(store) } catch let error as StoreError where error.code == .notCompiled {
        guard (try? store.transactions(limit: 0) { _ in false }) != nil else {
          throw StoreError(
            .corrupt, "the history of \(store.path) is damaged", recovery: .restoreBackup, cause: error.cause)
        }
        guard descriptor.predicate != nil else {
          throw SwiftDataError(
            .unsupportedSortDescriptor, "SQLite does not accept the sort order of the history request",
            underlying: error.cause)
        }
        throw SwiftDataError(
          .unsupportedPredicate, "SQLite does not accept the predicate of the history request", underlying: error.cause)
      }
    }
  }

  /// The history after a token is incomplete where a later transaction was deleted.
  ///
  /// - Parameter last: The number of the last transaction of a page; nil where there are no further ones.
  private func refuseExpired(_ range: TokenRange, through last: Int64?, _ store: PersistentStore) throws {
    guard let token = range.after,
      let missing = try store.missingTransactions(after: token, through: last ?? range.through ?? .max).first
    else { return }
    throw SwiftDataError(
      .historyTokenExpired,
      "transaction \(missing.lowerBound), after token \(token), was deleted from the history: read the objects anew, and "
        + "go on from the newest token")
  }
}
