// SPDX-License-Identifier: MIT

internal import Base
package import SQLite
package import Store

/// A query, or records, whose changes are read from the history.
package struct HitSelection: Sendable {
  /// Which records; ignored if `records` are given. The query is neither widened nor corrected.
  package var request: SearchRequest
  /// Records by their identifiers. They may be deleted.
  package var records: [NamedRecord] = []
  /// Only transactions of this author; nil for all.
  package var author: String?

  package init(_ request: SearchRequest) { self.request = request }
}

/// A change of a record that matches a query.
package struct HitChange: Sendable {
  package let kind: ChangeKind
  package let identifier: RecordURI
  package let entity: EntityLayout
  /// The present title, or the preserved one of a deleted record; empty if there is none.
  package let title: String
  /// The names of the updated properties; empty if they are not known.
  package let updated: [String]
  /// The preserved values of a deleted record, by `EntityLayout.tombstoneOrder`.
  package let tombstone: [Value]
}

/// The records of a view and its store, of which the history is read.
struct HitHistory {
  /// The name of the store in its group; nil if there is no group.
  private let name: String?
  let view: SearchView

  init(_ store: StoreView) { (name, view) = (store.name, store.view) }

  init(view: SearchView) { (name, self.view) = (nil, view) }

  private var store: PersistentStore { view.store }

  /// The rows of a selection.
  func rows(of selection: HitSelection) throws -> Set<RowIdentifier> {
    guard selection.records.isEmpty else {
      return try selection.records.filter { $0.store == name }.reduce(into: []) {
        $0.formUnion(try rows(of: $1.record))
      }
    }
    return Set(try exactMatches(of: selection.request))
  }

  /// The rows that an identifier may mean: of its entity, or of a subentity.
  private func rows(of record: RecordURI) throws -> [RowIdentifier] {
    if let uuid = record.storeUUID, uuid != store.uuid {
      throw OperationError(.usage, "\(record.uri) belongs to another store; this one is \(store.uuid)")
    }
    guard let named = store.layout.entity(matching: record.entityName) else {
      throw OperationError(
        .usage, "no kind is named '\(record.entityName)'",
        recovery: .knownNames(store.layout.entities.map(\.entity.name)))
    }
    return store.layout.entities.filter(named.includes).map { RowIdentifier(entity: $0.number, key: record.key) }
  }

  /// The rows that match a query as written.
  func exactMatches(of request: SearchRequest) throws -> [RowIdentifier] {
    let plan = try QueryCompiler(request.asWritten, view).plan()
    return try view.matches(of: request.words == .any ? plan.any : plan.all).map(\.row)
  }

  /// The title of a record as it is; as it was preserved if the record was deleted.
  func title(of row: RowIdentifier, _ entity: EntityLayout, tombstone: [Value]) throws -> String {
    try view.titles.title(of: row, in: store) ?? view.titles.title(ofTombstone: tombstone, entity)
  }

  /// The preserved values of those of the rows that were deleted after a transaction and do not exist now.
  func lastTombstones(of rows: some Collection<RowIdentifier>, after number: Int64) throws -> [RowIdentifier: [Value]] {
    let gone = Set(
      try rows.filter { row in
        try store.layout.entity(number: row.entity).map { try !store.exists($0, key: row.key) } ?? false
      })
    var found: [RowIdentifier: [Value]] = [:]
    guard !gone.isEmpty else { return found }
    try store.eachChange(after: number, of: gone.contains) { _, change in
      if let change, change.kind == .delete { found[change.row] = change.tombstone }
      return true
    }
    return found
  }

  /// A change with the title of its record; nil if the store has no such entity.
  ///
  /// - Parameter tombstones: The preserved values of records that do not exist any more.
  func hitChange(_ change: StoredChange, _ tombstones: [RowIdentifier: [Value]]) throws -> HitChange? {
    guard let entity = store.layout.entity(number: change.row.entity) else { return nil }
    let title = try title(of: change.row, entity, tombstone: tombstones[change.row] ?? change.tombstone)
    return HitChange(
      kind: change.kind, identifier: try store.identifier(of: change), entity: entity,
      title: title, updated: change.bitmap.flatMap(entity.names) ?? [], tombstone: change.tombstone)
  }
}
