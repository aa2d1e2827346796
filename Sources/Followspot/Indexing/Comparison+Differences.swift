internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension Comparison {
  /// The rows whose documents are missing, stale or without a row, or whose columns have changed. Call it inside a
  /// snapshot of the store.
  ///
  /// - Parameters:
  ///   - digests: Of the rows that the index was made of; nil compares documents, which takes longer.
  ///   - limits: As those of an overlay.
  /// - Returns: nil where the comparison takes longer, or finds more.
  func differences(
    with content: any IndexContent, known digests: RowDigests?, within limits: Overlay.Limits
  ) throws -> Set<RowIdentifier>? {
    struct Exceeded: Error {}
    let deadline = Overlay.processorTime + limits.comparisonMilliseconds
    func checkTime() throws { if Overlay.processorTime > deadline { throw Exceeded() } }
    do {
      let rows =
        try digests.map { try RowDigests(of: store, since: $0, check: checkTime).changes(since: $0) }
        ?? Set(differences(of: store.layout.entities, with: content, check: checkTime))
      return rows.count > limits.changes ? nil : rows
    } catch is Exceeded {
      return nil
    }
  }
}
