// SPDX-License-Identifier: MIT

package import PersistentStore
package import SearchIndex
internal import StoreModel

/// The result of comparing all rows of a database with its index within limits.
package enum RowDifferences {
  case rows(Set<RowIdentifier>)
  /// More rows differ than the limits allow.
  case tooMany
  /// The comparison would take longer than the limits allow. Rows may differ.
  case unknown
}

extension Comparison {
  /// The rows of a database that differ from its index although no history tells it. Digests of the indexed rows are compared; without
  /// them, documents are, which takes longer. Call it inside a snapshot of the store.
  ///
  /// - Parameter state: The state of the index that `reader` reads.
  package func differences(
    with reader: IndexReader, _ state: IndexState, within limits: ChangeLimits
  ) throws -> RowDifferences {
    struct Exceeded: Error {}
    let deadline = ProcessorTime.ofThread + limits.comparisonMilliseconds
    func checkTime() throws { if ProcessorTime.ofThread > deadline { throw Exceeded() } }
    do {
      let rows =
        try RowDigests.changes(in: store, since: state, generation: reader.path, check: checkTime)
        ?? Set(
          differences(
            of: store.entitiesChangedUnlogged(since: state.token) ?? store.layout.entities, with: reader,
            check: checkTime))
      return rows.count > limits.changes ? .tooMany : .rows(rows)
    } catch is Exceeded {
      return .unknown
    }
  }
}
