internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a comparison of all rows of a database with its index found within the limits of an overlay.
enum RowDifferences {
  case rows(Set<RowIdentifier>)
  /// More rows differ than an overlay may have.
  case tooMany
  /// The comparison would take longer. Rows may differ.
  case unknown
}

extension Comparison {
  /// The rows whose documents are missing, stale or without a row, or whose columns have changed. Call it inside a
  /// snapshot of the store.
  ///
  /// - Parameters:
  ///   - digests: Of the rows that the index was made of; nil compares documents, which takes longer.
  ///   - limits: As those of an overlay.
  func differences(
    with content: any IndexContent, known digests: RowDigests?, within limits: Overlay.Limits
  ) throws -> RowDifferences {
    struct Exceeded: Error {}
    let deadline = Overlay.processorTime + limits.comparisonMilliseconds
    func checkTime() throws { if Overlay.processorTime > deadline { throw Exceeded() } }
    do {
      let rows =
        try digests.map { try RowDigests(of: store, since: $0, check: checkTime).changes(since: $0) }
        ?? Set(differences(of: store.layout.entities, with: content, check: checkTime))
      return rows.count > limits.changes ? .tooMany : .rows(rows)
    } catch is Exceeded {
      return .unknown
    }
  }
}
