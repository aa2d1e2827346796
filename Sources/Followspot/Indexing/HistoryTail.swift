package import PersistentStore
internal import SearchIndex

/// Reads history after a token and turns it into documents to write and to remove, in batches.
package final class HistoryTail {
  package struct Limits: Sendable {
    package var documents = 2_000
    package var milliseconds = 300
    package var transactions = Int.max
    /// Bytes of documents held in memory.
    package var bytes = 32 << 20

    package init(documents: Int = 2_000, milliseconds: Int = 300, transactions: Int = .max) {
      self.documents = documents
      self.milliseconds = milliseconds
      self.transactions = transactions
    }
  }

  /// What some transactions, coalesced, do to the index.
  package struct Batch {
    package var upserts: [MappedDocument] = []
    package var removals: [(entity: String, key: Int64)] = []
    package var skippedUpdates = 0
    /// The token behind the batch; nil for a part of a large one, which keeps the old token.
    package var token: HistoryToken?

    package var count: Int { upserts.count + removals.count }
  }

  private let store: PersistentStore
  private let mapper: DocumentMapper
  private let limits: Limits

  /// What is left of a batch that was too large for one commit.
  private var rest: ArraySlice<(row: RowIdentifier, change: Coalesced)> = []
  private var restToken: HistoryToken?

  package init(store: PersistentStore, mapper: DocumentMapper, limits: Limits = Limits()) {
    self.store = store
    self.mapper = mapper
    self.limits = limits
  }

  /// The changes to one object, folded into one: the last state wins.
  private struct Coalesced {
    var isDeleted: Bool
    /// The attributes that changed; nil where they are not known or the object was inserted.
    var attributes: Set<EntityLayout.Property>?

    mutating func add(_ change: HistoryChange, in entity: EntityLayout?) {
      isDeleted = change.kind == .delete
      if change.kind == .update, let known = change.bitmap.flatMap({ entity?.properties(of: $0) }), !known.isEmpty {
        attributes?.formUnion(known)
      } else {
        attributes = nil
      }
    }
  }

  /// The next batch after `token`, or nil at the history's end. Call it inside a snapshot in which the token's
  /// verdict was to go on.
  package func next(after token: HistoryToken) throws -> Batch? {
    if rest.isEmpty {
      guard try readHistory(after: token) else { return nil }
    }
    var batch = try mapRest()
    if rest.isEmpty { batch.token = restToken }
    return batch
  }

  /// Coalesces the transactions after `token` up to the limits; false where there is none.
  private func readHistory(after token: HistoryToken) throws -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(limits.milliseconds)
    var changed: [RowIdentifier: Coalesced] = [:]
    var last: Int64?
    for number in try store.transactionNumbers(after: token.number, limit: min(limits.transactions, 4_096)) {
      try store.changes(ofTransaction: number) { change in
        let entity = store.layout.entity(number: change.row.entity)
        changed[change.row, default: Coalesced(isDeleted: false, attributes: [])].add(change, in: entity)
      }
      last = number
      if changed.count >= limits.documents || clock.now > deadline { break }
    }
    guard let last else { return false }
    restToken = try store.token(of: last)
    rest = changed.map { (row: $0.key, change: $0.value) }.sorted { $0.row < $1.row }[...]
    return true
  }

  /// Maps what is left until the limits of one commit are reached.
  private func mapRest() throws -> Batch {
    var batch = Batch()
    var bytes = 0
    while batch.count + batch.skippedUpdates < limits.documents, bytes < limits.bytes,
      let (row, change) = rest.popFirst()
    {
      try StopSignal.check()
      guard let plan = mapper.plan(ofEntity: row.entity) else { continue }
      let name = plan.entity.entity.name
      if change.isDeleted {
        batch.removals.append((name, row.key))
      } else if let attributes = change.attributes,
        attributes.isDisjoint(with: plan.attributes.map(EntityLayout.Property.attribute))
      {
        batch.skippedUpdates += 1
      } else {
        try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
          if let found {
            let mapped = try mapper.map(found, plan)
            bytes += mapped.document.size
            batch.upserts.append(mapped)
          } else {
            batch.removals.append((name, row.key))
          }
        }
      }
    }
    return batch
  }
}

extension GenerationWriter {
  /// Writes a batch and commits it.
  package func write(_ batch: HistoryTail.Batch) throws {
    for mapped in batch.upserts { try upsert(mapped) }
    for removal in batch.removals { try remove(entity: removal.entity, key: removal.key) }
    updateState { $0.skippedUpdates += batch.skippedUpdates }
    try commit(token: batch.token)
  }
}
