internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension Comparison {
  /// The rows whose documents are missing, out of date or to be removed, or whose columns have changed. Call it inside a
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
    let deadline = Overlay.processorTime + limits.milliseconds
    func checkTime() throws { if Overlay.processorTime > deadline { throw Exceeded() } }
    do {
      let rows =
        try digests.map { try $0.changes(in: store, check: checkTime) } ?? differences(with: content, checkTime)
      return rows.count > limits.changes ? nil : rows
    } catch is Exceeded {
      return nil
    }
  }

  private func differences(with content: any IndexContent, _ check: () throws -> Void) throws -> Set<RowIdentifier> {
    var rows: Set<RowIdentifier> = []
    _ = try run(with: content, eachRow: check) { difference in
      switch difference {
      case .missing(let mapped), .stale(let mapped), .damaged(let mapped): rows.insert(mapped.row)
      case .extra(let name, let key):
        if let entity = store.layout.entity(named: name) { rows.insert(RowIdentifier(entity: entity.number, key: key)) }
      }
    }
    return rows
  }
}
