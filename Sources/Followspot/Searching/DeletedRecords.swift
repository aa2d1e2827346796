// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// The deleted records that a view has instead of present ones: their documents are made in memory from the values that
/// the history preserves.
struct DeletedRecords {
  /// Maximum number of deleted records that one query searches.
  private static let most = 20_000

  private let view: SearchView
  /// The entities of the records.
  private let kinds: [EntityLayout]

  init(of view: SearchView) {
    self.view = view
    kinds = Set((view.rows.deletions ?? [:]).keys.map(\.entity)).sorted().compactMap { number in
      view.store.layout.entity(number: number).flatMap { view.definition.entities[$0.entity.name] == nil ? nil : $0 }
    }
  }

  /// A note on which values of the deleted records can be searched; nil if the answer is not about deleted records.
  var note: String? {
    let kinds = kinds.map { entity in
      let names = entity.tombstoneOrder.sorted().map { entity.entity.attributes[$0].name }
      return "\(names.isEmpty ? "nothing" : names.joined(separator: ", ")) of \(entity.entity.name)"
    }
    return kinds.isEmpty ? nil : "of deleted records, the history preserves \(kinds.joined(separator: ", "))"
  }

  /// What the history should preserve of deleted records; nil if the answer is not about deleted records.
  var preservation: Preservation? { Preservation(of: kinds, in: view.store, view.definition) }

  /// The view of the deleted records that a request is about; nil for any other request. Call it in a snapshot.
  static func view(for request: SearchRequest, _ view: SearchView) throws -> SearchView? {
    guard let period = try DeletionPeriod.of(request, in: view) else { return nil }
    if request.isStrict { try DeletionPeriod.refuse(request, in: view, "which cannot be changed") }
    if request.isIndexOnly { try DeletionPeriod.refuse(request, in: view, "which the index does not contain") }
    let (store, definition) = (view.store, view.definition)
    guard store.tracking.hasHistory else {
      throw QueryError.withoutHistory(
        period.name, in: store, preserving: Preservation.titles(in: store, definition), query: request.query,
        offset: period.offset)
    }
    var deletions: [StoredDeletion] = []
    try store.eachDeletion(where: period.condition) {
      guard let name = store.layout.entity(number: $0.row.entity)?.entity.name, definition.entities[name] != nil else {
        return true
      }
      deletions.append($0)
      return deletions.count <= most
    }
    var notes = try historyNotes(period, store)
    if deletions.count > most {
      let reason = "more than \(most) records were deleted"
      guard request.mayApproximate else {
        throw QueryError(
          reason, query: request.query, offset: period.offset, recovery: .narrow(["\(period.name):1d.."]))
      }
      deletions.removeLast()
      notes.append("\(reason): only the last \(most) are searched")
    }
    return try view.deleted(deletions, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
  }

  /// How far back the history goes if it does not cover the period, and a note about wrong times in it.
  private static func historyNotes(_ period: DeletionPeriod, _ store: PersistentStore) throws -> [String] {
    var notes: [String] = []
    if let note = try store.gapNote(.time(period.start), lost: "deletions") { notes.append(note) }
    if period != DeletionPeriod(name: period.name, offset: period.offset),
      let stamp = try store.futureStamp(now: DatePeriod.now + Epoch.secondsFrom1970To2001)
    {
      notes.append("\(period.name) uses the recorded times: \(stamp.sentence)")
    }
    return notes
  }
}
