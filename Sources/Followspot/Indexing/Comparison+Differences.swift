internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension Comparison {
  /// Rows that are compared within one search at most.
  private static let mostRows = 100_000

  /// The rows whose documents are missing, out of date or to be removed. Call it inside a snapshot of the store.
  ///
  /// - Parameter limits: As those of an overlay.
  /// - Returns: nil where the comparison takes longer, or finds more.
  func differences(with content: any IndexContent, within limits: Overlay.Limits) throws -> Set<RowIdentifier>? {
    guard try store.count() <= Self.mostRows else { return nil }
    struct Exceeded: Error {}
    let deadline = Overlay.processorTime + limits.milliseconds
    var rows: Set<RowIdentifier> = []
    var compared = 0
    do {
      let checkTime = {
        compared += 1
        if compared & 0x3f == 0, Overlay.processorTime > deadline { throw Exceeded() }
      }
      _ = try run(with: content, eachRow: checkTime) { difference in
        switch difference {
        case .missing(let mapped), .stale(let mapped), .damaged(let mapped): rows.insert(mapped.row)
        case .extra(let name, let key):
          guard let entity = store.layout.entity(named: name) else { throw Exceeded() }
          rows.insert(RowIdentifier(entity: entity.number, key: key))
        }
        if rows.count > limits.changes { throw Exceeded() }
      }
    } catch is Exceeded {
      return nil
    }
    return rows
  }
}
