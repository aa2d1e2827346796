// SPDX-License-Identifier: MIT

internal import Base
package import Store

/// The result of comparing all rows of a database with its index within limits.
package enum RowDifferences {
  case rows(Set<RowIdentifier>)
  /// More rows differ than the limits allow.
  case tooMany
  /// The comparison would take longer than the limits allow. Rows may differ.
  case unknown
}

extension Comparison {
  /// The rows of an ordinary database that differ from its index. Digests of the indexed rows are compared; without them,
  /// documents are, which takes longer. Call it inside a snapshot of the store.
  ///
  /// - Parameter state: The state of the index that `reader` reads.
  package func differences(
    with reader: IndexReader, _ state: IndexState, within limits: ChangeLimits
  ) throws -> RowDifferences {
    struct Exceeded: Error {}
    let deadline = ProcessorTime.ofThread + limits.comparisonMilliseconds
    func checkTime() throws { if ProcessorTime.ofThread > deadline { throw Exceeded() } }
    do {
      guard let rows = try RowDigests.changes(in: store, since: state, generation: reader.path, check: checkTime) else {
        // Where the log explains all writes, a change of the schema concerns some tables alone.
        let isLogged = try store.explainsWrites(since: state.accounted)
        let some = try isLogged ? store.entitiesChangedUnlogged(since: state.token) : nil
        let rows = Set(try differences(of: some ?? store.layout.entities, with: reader, check: checkTime))
        return rows.count > limits.changes ? .tooMany : .rows(rows)
      }
      guard store.tracking == .attached else { return rows.count > limits.changes ? .tooMany : .rows(rows) }
      // Most of these rows are in the log, and indexed.
      let concerned = try RelatedOwners(store: store, mapper: mapper).including(rows, in: reader)
      guard concerned.count <= limits.changes else { return .unknown }
      return .rows(
        try concerned.filter {
          try checkTime()
          return try differs($0, from: reader)
        })
    } catch is Exceeded {
      return .unknown
    }
  }

  /// Whether the document of a row is missing, stale, or there although the row is not.
  package func differs(_ row: RowIdentifier, from content: any IndexContent) throws -> Bool {
    guard let plan = mapper.plan(ofEntity: row.entity) else { return false }
    let mapped = try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
      try found.map { try mapper.map($0, plan, from: store) }
    }
    guard let mapped else {
      let term = mapper.definition.lookupTerm(entity: plan.entity.entity.name, key: row.key)
      return try content.value(of: term, slot: DocumentLayout.Slot.digest) != nil
    }
    var differs = false
    _ = try compare(mapped, with: content, deep: nil) { _ in differs = true }
    return try differs && !isRejected(mapped, FailedRows.rejected(in: content), content)
  }
}
