// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
package import Store

/// Reads the history after a token, and turns it into batches of documents to write and to remove.
package final class HistoryTail {
  package struct Limits: Sendable {
    var documents = 2_000
    var milliseconds = 300
    var transactions = Int.max
    /// Bytes of documents held in memory.
    var bytes = 32 << 20

    package init(documents: Int = 2_000, milliseconds: Int = 300, transactions: Int = .max) {
      self.documents = documents
      self.milliseconds = milliseconds
      self.transactions = transactions
    }
  }

  /// A document to remove.
  package struct Removal {
    let entity: String
    let key: Int64
    /// The unique term from the tombstone, if the document is identified by a value.
    var uniqueTerm: [UInt8]?
  }

  /// The effect of coalesced changes on the index.
  package struct Batch {
    var upserts: [MappedDocument] = []
    var removals: [Removal] = []
    var skippedUpdates = 0
    /// The token after the batch; nil for a part of a larger transaction, which keeps the old token.
    var token: StoreToken?
    /// The newest transaction when the rows were read. Their values may come from it.
    var highWaterMark: StoreToken?

    package init(
      upserts: [MappedDocument] = [], removals: [Removal] = [], skippedUpdates: Int = 0, token: StoreToken? = nil,
      highWaterMark: StoreToken? = nil
    ) {
      self.upserts = upserts
      self.removals = removals
      self.skippedUpdates = skippedUpdates
      self.token = token
      self.highWaterMark = highWaterMark
    }

    package var count: Int { upserts.count + removals.count }
  }

  private let store: PersistentStore
  private let mapper: DocumentMapper
  private let owners: RelatedOwners
  private let relevant: [Int: Set<EntityLayout.Property>]
  private let limits: Limits

  /// The changes that were read but not mapped yet.
  private var rest: ArraySlice<(row: RowIdentifier, change: CoalescedChange)> = []
  /// The owners of changed rows that did not change themselves, and are not mapped yet. There may be very many.
  private var restOwners: ArraySlice<RowIdentifier> = []
  private var isRead: Bool { rest.isEmpty && restOwners.isEmpty }
  /// The token after both; nil if it ends inside a transaction.
  private var restToken: StoreToken?
  /// How far a transaction was read that is larger than one batch: valid for the token it was read after.
  private var inside: Position?

  /// Indexed entities that the history does not record, and the store's version when their rows were compared last.
  private lazy var unrecorded = Result {
    try store.unrecordedEntities().filter { mapper.plan(ofEntity: $0.number) != nil }
  }
  private var comparedVersion: DataVersion?

  private struct Position {
    let token: Int64
    let transaction: Int64
    let change: Int64
  }

  package init(store: PersistentStore, mapper: DocumentMapper, limits: Limits = Limits()) {
    self.store = store
    self.mapper = mapper
    self.limits = limits
    owners = RelatedOwners(store: store, mapper: mapper)
    relevant = Dictionary(uniqueKeysWithValues: mapper.plans.map { ($0.entity.number, $0.relevantProperties()) })
  }

  /// The next batch after `token`, or nil at the history's end. Call it inside a snapshot in which the token's
  /// verdict was to go on.
  ///
  /// - Parameter content: The index as it is, without pending changes: it tells which documents hold text of others.
  package func next(after token: StoreToken, in content: any IndexContent) throws -> Batch? {
    if isRead {
      guard try readHistory(after: token, in: content) else { return nil }
    }
    var batch = try mapRest()
    if isRead { batch.token = restToken }
    batch.highWaterMark = try store.token()
    return batch
  }

  /// Coalesces the changes after `token` up to the limits; false where there is none. A transaction that is larger
  /// than the limits is read in slices.
  private func readHistory(after token: StoreToken, in content: any IndexContent) throws -> Bool {
    let start = inside.flatMap { $0.token == token.number ? $0 : nil }
    inside = nil
    var bounds = ChangeSet.Limits(records: limits.documents, deadline: .now + .milliseconds(limits.milliseconds))
    (bounds.transactions, bounds.splitsTransactions) = (limits.transactions, true)
    let changed = try ChangeSet(
      in: store, after: start?.transaction ?? token.number, change: start?.change, limits: bounds)
    guard let last = changed.last else { return try readUnrecorded(after: token, in: content) }
    inside = changed.lastChange.map { Position(token: token.number, transaction: last, change: $0) }
    try setRest(changed, token: inside == nil ? try store.token(of: last) : nil, in: content)
    return true
  }

  /// Finds what changed in entities that the history does not record; false where nothing did.
  private func readUnrecorded(after token: StoreToken, in content: any IndexContent) throws -> Bool {
    let entities = try unrecorded.get()
    guard !entities.isEmpty else { return false }
    let version = try store.dataVersion()
    guard version != comparedVersion else { return false }
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress { _ in })
    var changed = ChangeSet()
    changed.add(try comparison.differences(of: entities, with: content))
    comparedVersion = version
    guard !changed.records.isEmpty else { return false }
    try setRest(changed, token: token, in: content)
    return true
  }

  /// Sets the changes to map: those of a set, and the owners of its records.
  private func setRest(_ changed: ChangeSet, token: StoreToken?, in content: any IndexContent) throws {
    var changed = changed
    let found = try owners.owners(of: changed.records.map { ($0.key, $0.value.properties) }, in: content)
    restOwners = found.filter { changed.records[$0] == nil }.sorted()[...]
    changed.add(found.filter { changed.records[$0] != nil })
    rest = changed.records.map { (row: $0.key, change: $0.value) }.sorted { $0.row < $1.row }[...]
    restToken = token
  }

  /// Maps what is left until the limits of one commit are reached.
  private func mapRest() throws -> Batch {
    var batch = Batch()
    var bytes = 0
    while batch.count + batch.skippedUpdates < limits.documents, bytes < limits.bytes,
      let (row, change) = rest.popFirst() ?? restOwners.popFirst().map({ ($0, .ofOwner) })
    {
      try StopSignal.check()
      guard let plan = mapper.plan(ofEntity: row.entity) else { continue }
      // A trigger of the database may have put a row back, and logged that first.
      if change.isDeleted, store.tracking == .history {
        batch.removals.append(removal(of: row, plan, change.newest?.tombstone ?? []))
      } else if let properties = change.properties, properties.isDisjoint(with: relevant[row.entity] ?? []) {
        batch.skippedUpdates += 1
      } else {
        try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
          if let found {
            let mapped = try mapper.map(found, plan, from: store)
            bytes += mapped.document.size
            batch.upserts.append(mapped)
          } else {
            batch.removals.append(removal(of: row, plan, change.newest?.tombstone ?? []))
          }
        }
      }
    }
    return batch
  }

  private func removal(of row: RowIdentifier, _ plan: DocumentPlan, _ tombstone: [Value]) -> Removal {
    let name = plan.entity.entity.name
    var removal = Removal(entity: name, key: row.key)
    if let attribute = plan.identity?.attribute, let index = plan.entity.tombstoneOrder.firstIndex(of: attribute),
      tombstone.indices.contains(index)
    {
      let type = plan.entity.entity.attributes[attribute].type
      removal.uniqueTerm = DocumentMapper.uniqueTerm(of: name, key: row.key, value: tombstone[index], as: type)
    }
    return removal
  }
}

extension GenerationWriter {
  /// Writes a batch and commits it.
  package func write(_ batch: HistoryTail.Batch) throws {
    for mapped in batch.upserts { try upsert(mapped) }
    for removal in batch.removals {
      try remove(entity: removal.entity, key: removal.key, uniqueTerm: removal.uniqueTerm)
    }
    skip(batch.skippedUpdates)
    try commit(token: batch.token, highWaterMark: batch.highWaterMark)
  }
}
