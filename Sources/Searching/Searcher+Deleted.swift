// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import QueryLanguage
internal import SearchIndex
internal import Values

/// Searching deleted records: the documents are made in memory from the values that the history preserves.
extension Searcher {
  /// Maximum number of deleted records that one query searches.
  private static let mostDeleted = 20_000

  /// The rows that the current answer describes.
  package var rows: RowSource { RowSource(store, deletions: index.overlay?.deletions, stored: stored) }

  /// Whether a query finds deleted records instead of present ones.
  package func findsDeleted(_ request: SearchRequest) throws -> Bool { try deletionPeriod(request) != nil }

  private func deletionPeriod(_ request: SearchRequest) throws -> DeletionPeriod? {
    // A query that is being typed may not be complete. Those who need it whole report that.
    guard let parsed = try? parse(request), index.searched.findsDeleted(parsed) else { return nil }
    return try QueryResolver(query: request.query, index: index, store: store, now: DatePeriod.now)
      .deletionPeriod(parsed)
  }

  /// Refuses a query about deleted records where only present ones can be meant.
  package func refuseDeleted(_ request: SearchRequest, _ reason: String) throws {
    guard let period = try deletionPeriod(request) else { return }
    throw QueryError("\(period.name) finds deleted records, \(reason)", query: request.query, offset: period.offset)
  }

  /// The snapshot for a query about deleted records; nil for any other query. Call it in a snapshot of the store.
  func deletedSnapshot(_ request: SearchRequest, _ status: IndexStatus) throws -> Snapshot? {
    guard let period = try deletionPeriod(request) else { return nil }
    if request.isStrict { try refuseDeleted(request, "which cannot be changed") }
    if request.isIndexOnly { try refuseDeleted(request, "which the index does not contain") }
    guard store.tracking.hasHistory else {
      throw QueryError.withoutHistory(
        period.name, in: store, preserving: Preservation.titles(in: store, index.definition), query: request.query,
        offset: period.offset)
    }
    var deletions: [StoredDeletion] = []
    try store.eachDeletion(where: period.condition) {
      guard let name = store.layout.entity(number: $0.row.entity)?.entity.name, index.definition.entities[name] != nil
      else { return true }
      deletions.append($0)
      return deletions.count <= Self.mostDeleted
    }
    var notes = try historyNotes(period)
    if deletions.count > Self.mostDeleted {
      let reason = "more than \(Self.mostDeleted) records were deleted"
      guard request.mayApproximate else {
        throw QueryError(
          reason, query: request.query, offset: period.offset, recovery: .narrow(["\(period.name):1d.."]))
      }
      deletions.removeLast()
      notes.append("\(reason): only the last \(Self.mostDeleted) are searched")
    }
    try index.searchDeleted(deletions, in: store)
    var status = status
    status.answersAt = status.token + status.lagTransactions
    return Snapshot(indexStatus: status, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
  }

  /// How far back the history goes if it does not cover the period, and a note about wrong times in it.
  private func historyNotes(_ period: DeletionPeriod) throws -> [String] {
    var notes: [String] = []
    if let note = try store.gapNote(.time(period.start), lost: "deletions") { notes.append(note) }
    if period != DeletionPeriod(name: period.name, offset: period.offset),
      let stamp = try store.futureStamp(now: DatePeriod.now + Epoch.secondsFrom1970To2001)
    {
      notes.append("\(period.name) uses the recorded times: \(stamp.sentence)")
    }
    return notes
  }

  /// A note on which values of the deleted records can be searched; nil if the answer is not about deleted records.
  func preservedNote() -> String? {
    let kinds = deletedKinds.map { entity in
      let names = entity.tombstoneOrder.sorted().map { entity.entity.attributes[$0].name }
      return "\(names.isEmpty ? "nothing" : names.joined(separator: ", ")) of \(entity.entity.name)"
    }
    return kinds.isEmpty ? nil : "of deleted records, the history preserves \(kinds.joined(separator: ", "))"
  }

  /// What the history should preserve of deleted records; nil if the answer is not about deleted records.
  package var preservation: Preservation? { Preservation(of: deletedKinds, in: store, index.definition) }

  /// The entities of the deleted records that the answer is about.
  private var deletedKinds: [EntityLayout] {
    Set((index.overlay?.deletions ?? [:]).keys.map(\.entity)).sorted().compactMap { number in
      store.layout.entity(number: number).flatMap { index.definition.entities[$0.entity.name] == nil ? nil : $0 }
    }
  }

  /// The order of deleted records if no words rank them: the newest deletion first. nil for relevance.
  func deletionOrder(_ plan: QueryPlan) -> (slot: UInt32, descends: Bool)? {
    guard index.overlay?.deletions != nil, plan.typed.isEmpty, !plan.isExplicit, plan.boosts.isEmpty else { return nil }
    return (DocumentLayout.Slot.deletion, true)
  }
}
