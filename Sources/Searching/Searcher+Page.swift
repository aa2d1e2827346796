// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
package import PersistentStore
package import SQLite
package import SearchIndex

extension Searcher {
  /// Maximum number of matches that are counted exactly.
  package static let exactUpTo = 10_000

  /// One page of the hits of a plan, in the order that the request asks for.
  package func page(_ plan: QueryPlan, _ request: SearchRequest, _ snapshot: Snapshot) throws -> Ranker.Page {
    let ranker = try Ranker(self, plan)
    let sorter = try request.sort.isEmpty ? nil : Sorter(request.sort, of: self, snapshot)
    let order = sorter.map(\.order) ?? deletionOrder(plan)
    guard sorter != nil || order != nil else { return try ranker.page(request) }
    return try ranker.page(request) { query, offset, limit, exactUpTo in
      let found =
        try sorter?.page(query(plan), offset: offset, limit: limit)
        ?? index.reader.search(
          query(plan), offset: offset, limit: limit, exactUpTo: exactUpTo, identitySlot: DocumentLayout.Slot.identity,
          order: order)
      return (found.hits, found.matches)
    }
  }

  // MARK: Rows

  /// The documents that must not be hits: those that an overlay replaces; without one, those of rows that are known to
  /// be deleted.
  package func hidden(_ snapshot: Snapshot) throws -> [Query] {
    if let overlay = index.overlay { return overlay.hidden == .nothing ? [] : [overlay.hidden] }
    var identities: [[UInt8]] = []
    for row in snapshot.changed ?? [] {
      guard let entity = store.layout.entity(number: row.entity), try !store.exists(entity, key: row.key) else {
        continue
      }
      identities.append(DocumentLayout.identity(entity: entity.entity.name, key: row.key))
    }
    guard !identities.isEmpty else { return [] }
    return [
      .valueSet(
        slot: DocumentLayout.Slot.identity, identities.sorted { $0.lexicographicallyPrecedes($1) })
    ]
  }

  /// The hit with its row; nil if the row was deleted after the index's token.
  package func join(_ hit: Hits.Hit, _ snapshot: Snapshot) throws -> (row: RowIdentifier, hit: Hit)? {
    guard let (name, key) = DocumentLayout.parseIdentity(hit.identity),
      let entity = store.layout.entity(named: name), let values = try rows.values(of: entity, key: key)
    else { return nil }
    let row = RowIdentifier(entity: entity.number, key: key)
    let deletion = rows.deletions?[row]
    let isChanged = try snapshot.comparesHits ? differs(row, entity) : snapshot.changed?.contains(row) ?? true
    let freshness: Hit.Freshness =
      deletion != nil ? .deleted : !isChanged ? .indexed : index.overlay == nil ? .changed : .overlay
    var joined = Hit(
      identifier: try deletion.map(store.identifier(of:)) ?? store.identifier(of: row), entity: entity,
      score: hit.score, freshness: freshness, values: values,
      title: title(of: values, entity, key: key, isDeleted: deletion != nil), deletion: deletion)
    joined.storedAttributes = stored?.attributes(of: entity)
    return (row, joined)
  }

  /// Whether the row of a hit is not what was indexed.
  private func differs(_ row: RowIdentifier, _ entity: EntityLayout) throws -> Bool {
    let mapper = try index.mapper(for: store.layout)
    guard let plan = mapper.plan(ofEntity: row.entity) else { return true }
    let mapped = try store.withRow(of: entity, key: row.key, attributes: plan.attributes) { found in
      try found.map { try mapper.map($0, plan, from: store) }
    }
    guard let mapped else { return true }
    var differs = false
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress())
    _ = try comparison.compare(mapped, with: index.alone, deep: nil) { _ in differs = true }
    return differs
  }

  package func title(of values: [Value], _ entity: EntityLayout, key: Int64, isDeleted: Bool = false) -> String {
    RecordTitles(index.definition).title(of: values, entity, key: key, in: rows, isDeleted: isDeleted)
  }
}
