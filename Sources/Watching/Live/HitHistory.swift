// SPDX-License-Identifier: MIT

internal import Indexing
package import PersistentStore
package import SQLite
package import Searching

/// A query, or records, whose changes are read from the history.
package struct HitSelection: Sendable {
  /// Which records; ignored if `records` are given. The query is neither widened nor corrected.
  package var request: SearchRequest
  /// Records by their identifiers. They may be deleted.
  package var records: [RecordURI] = []
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

extension Searcher {
  /// The rows of a selection. Call it in a snapshot.
  func rows(of selection: HitSelection, _ snapshot: Snapshot) throws -> Set<RowIdentifier> {
    guard selection.records.isEmpty else {
      return try selection.records.reduce(into: []) { $0.formUnion(try rows(of: $1)) }
    }
    return Set(try exactMatches(of: selection.request, snapshot).map(\.row))
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

  /// The rows that match a query as written. Call it in a snapshot.
  func exactMatches(
    of request: SearchRequest, _ snapshot: Snapshot
  ) throws -> [(row: RowIdentifier, identity: [UInt8])] {
    var plan = try plan(request.asWritten)
    plan.excluded += try hidden(snapshot)
    return try matches(of: request.words == .any ? plan.any : plan.all).map { ($0.row, $0.identity) }
  }

  /// The title of a record as it is; as it was preserved if the record was deleted.
  package func title(of row: RowIdentifier, _ entity: EntityLayout, tombstone: [Value]) throws -> String {
    let titles = RecordTitles(index.definition)
    return try titles.title(of: row, in: store) ?? titles.title(ofTombstone: tombstone, entity)
  }

  /// The preserved values of those of the rows that were deleted after a transaction and do not exist now.
  func lastTombstones(of rows: some Collection<RowIdentifier>, after number: Int64) throws -> [RowIdentifier: [Value]] {
    let gone = Set(
      try rows.filter { row in
        try store.layout.entity(number: row.entity).map { try !store.exists($0, key: row.key) } ?? false
      })
    var found: [RowIdentifier: [Value]] = [:]
    guard !gone.isEmpty else { return found }
    try store.changes(after: number, of: gone.contains) { _, change in
      if change.kind == .delete { found[change.row] = change.tombstone }
      return true
    }
    return found
  }

  /// Refuses a store without a history.
  package func requireHistory() throws { try store.requireHistory() }
}
