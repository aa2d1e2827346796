// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// What the transactions of a range did to one record, as a whole.
package struct NetChange: Sendable {
  /// The name of the store in its group; nil if there is no group.
  package let store: String?
  /// What changed: a record that was inserted and then updated is an insert.
  package let change: HitChange
  /// The transaction that inserted the record, or the last one of the range that changed or deleted it.
  package let transaction: Int64
  package let author: String?
  /// How many transactions of the range changed the record.
  package let transactions: Int
}

/// What changed between two transactions.
package struct HitDifference: Sendable {
  /// The transactions of one store that are compared.
  package struct Range: Sendable {
    /// nil if there is no group.
    package let store: String?
    package let from: Int64
    package let to: Int64
  }

  package let ranges: [Range]
  /// The names of the stores of the group that keep no history.
  package let withoutHistory: [String]
  /// Inserts, then updates, then deletes; each by store, transaction and identifier.
  package let changes: [NetChange]

  /// What the transactions after `from`, up to `to`, inserted, updated and deleted, among the present matches of a query
  /// and the deleted records whose preserved values match. A record that was both inserted and deleted is left out.
  ///
  /// - Parameter to: nil for the newest transactions.
  /// - Throws: `OperationError.historyGone` if the history lacks transactions of the range.
  package static func read(
    _ selection: HitSelection, in search: any RecordSearch, from: StoreTokens, to: StoreTokens?
  ) throws -> HitDifference {
    try search.withStoreViews(selection.request) { views in
      let names = search.storeNames
      try from.check(in: names)
      try to?.check(in: names)
      let (views, others) = try views.withHistory()
      var (ranges, changes): ([Range], [NetChange]) = ([], [])
      for one in views {
        let range = try range(one, from, to)
        ranges.append(range)
        changes += try Self.changes(selection, one, range).sorted { $0.order < $1.order }
      }
      let places = changes.indices.sorted {
        (changes[$0].change.kind.rawValue, $0) < (changes[$1].change.kind.rawValue, $1)
      }
      return HitDifference(ranges: ranges, withoutHistory: others, changes: places.map { changes[$0] })
    }
  }

  private static func changes(_ selection: HitSelection, _ one: StoreView, _ range: Range) throws -> [NetChange] {
    let (view, store, history) = (one.view, one.view.store, HitHistory(one))
    var rows = try history.rows(of: selection)
    if selection.records.isEmpty {
      rows.formUnion(try TombstoneSearch(selection.request, view).matches(after: range.from))
    }
    let changed = try ChangeSet(in: store, after: range.from, through: range.to, of: rows.contains) {
      selection.author == nil || selection.author == $0.author
    }.records
    let later = try history.lastTombstones(
      of: changed.filter { $0.value.kind != .delete }.map(\.key), after: range.to)
    return try changed.compactMap { row, changes in
      try NetChange(of: row, changes, later[row] ?? [], history, in: one.name)
    }
  }

  /// The transactions of a store that the tokens mean: without one, from the first or to the newest.
  private static func range(_ one: StoreView, _ from: StoreTokens, _ to: StoreTokens?) throws -> Range {
    let newest = try one.view.store.newest()
    let range = Range(store: one.name, from: from.number(of: one.name) ?? 0, to: to?.number(of: one.name) ?? newest)
    try check(from: range.from, to: range.to, newest: newest, in: one.view.store)
    return range
  }

  private static func check(
    from: Int64, to last: Int64, newest: Int64, in store: PersistentStore
  ) throws {
    if let unknown = [from, last].first(where: { $0 > newest }) {
      throw OperationError(
        .historyGone, "transaction \(unknown) is not in the history; the newest one is \(newest)",
        recovery: .showStatus)
    }
    guard from <= last else {
      throw OperationError(.usage, "the range \(from)..\(last) ends before it begins")
    }
    let missing = try store.missingTransactions(after: from)
    guard missing.isEmpty else {
      let oldest = try store.oldest() ?? newest
      throw OperationError(
        .historyGone,
        "\(missing.subject) not in the history any more, so the changes after \(from) are not known",
        recovery: .laterToken(oldest - 1))
    }
  }
}

extension CoalescedChange {
  /// nil if the row existed neither before nor after the range, or if no counted change made the difference.
  fileprivate var kind: ChangeKind? {
    guard count > 0 else { return nil }
    return switch (first, newest?.kind) {
    case (.insert, .delete), (nil, _): nil
    case (.insert, _): isFirstCounted ? .insert : .update
    case (_, .delete): isLastCounted ? .delete : nil
    default: .update
    }
  }

  /// The names of the properties that any of the changes updated; empty if the record was deleted and inserted again.
  fileprivate func updated(in entity: EntityLayout) -> [String] {
    wasDeleted ? [] : Set(knownProperties.map(entity.name)).sorted()
  }
}

extension NetChange {
  /// nil if the transactions of the range have not changed the record as a whole.
  ///
  /// - Parameter later: The preserved values of a record that was deleted after the range.
  fileprivate init?(
    of row: RowIdentifier, _ changes: CoalescedChange, _ later: [Value], _ history: HitHistory, in name: String?
  ) throws {
    self.store = name
    let store = history.view.store
    guard let entity = store.layout.entity(number: row.entity), let kind = changes.kind, let newest = changes.newest,
      let origin = kind == .insert ? changes.firstOrigin : changes.lastOrigin
    else { return nil }
    let tombstone = kind == .delete ? newest.tombstone : later
    change = HitChange(
      kind: kind, identifier: try store.identifier(of: newest), entity: entity,
      title: try history.title(of: row, entity, tombstone: tombstone),
      updated: kind == .update ? changes.updated(in: entity) : [], tombstone: tombstone)
    (transaction, author, transactions) = (origin.transaction, origin.author, changes.count)
  }

  fileprivate var order: (Int, Int64, String, Int64) {
    (change.kind.rawValue, transaction, change.identifier.entityName, change.identifier.key)
  }
}
