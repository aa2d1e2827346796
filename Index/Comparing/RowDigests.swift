// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import Store

/// Digests of the indexed rows, stored beside the index of an ordinary database. They show quickly which rows have
/// changed without a history, or beside the change log. They are only a shortcut: if they are missing or belong to other content, documents are compared.
///
/// The file is mapped, not read, so that digests of any number of rows take no memory of the process.
package struct RowDigests {
  /// The entries of one table: keys in ascending order, each with its digest.
  struct Table {
    fileprivate let file: Data
    fileprivate let start: Int
    let count: Int

    func key(_ entry: Int) -> Int64 { Int64(bitPattern: number(2 * entry)) }
    func digest(_ entry: Int) -> UInt64 { number(2 * entry + 1) }

    private func number(_ position: Int) -> UInt64 { RowDigestFile.number(file, start + 8 * position) }

    /// nil for a key that it does not have.
    func digest(of key: Int64) -> UInt64? {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if self.key(middle) < key { low = middle + 1 } else { high = middle }
      }
      return low < count && self.key(low) == key ? digest(low) : nil
    }
  }

  private let tables: [Int: Table]
  /// The rows that the log has had since the digests were made. One may be as it was then, but not as it was indexed since.
  let logged: Set<RowIdentifier>

  /// Maximum number of such rows.
  private static let mostLogged = 50_000

  /// The stored digests of an index; nil if there are none that belong to it.
  package init?(generation: String, state: IndexState, store: PersistentStore) throws {
    guard store.isOrdinaryDatabase, state.token?.modelDigest == store.modelDigest,
      let file = try? Data(contentsOf: URL(filePath: RowDigestFile.path(in: generation)), options: .mappedIfSafe),
      let found = RowDigestFile.tables(in: file, label: try RowDigestFile.label(of: state))
    else { return nil }
    tables = found.mapValues { Table(file: file, start: $0.start, count: $0.count) }
    guard let number = state.compared, store.tracking == .attached else {
      logged = []
      return
    }
    guard try store.oldest() ?? 0 <= number + 1, try !store.hasMoreChanges(than: Self.mostLogged, after: number) else {
      return nil
    }
    logged = try store.changedRows(after: number)
  }

  func table(ofEntity number: Int) -> Table? { tables[number] }

  /// The rows that were inserted, updated or deleted since their digests were made, and perhaps rows that the log has had.
  /// Call it inside a snapshot.
  ///
  /// - Parameter check: Called regularly; it may throw to end the work.
  /// - Returns: nil if the index has no digests of its rows.
  package static func changes(
    in store: PersistentStore, since state: IndexState, generation: String,
    check: () throws -> Void = StopSignal.check
  ) throws -> Set<RowIdentifier>? {
    guard let known = try RowDigests(generation: generation, state: state, store: store) else { return nil }
    return try RowDigestScan(of: store, since: known, check: check).changes
  }

  /// Stores the digests of an ordinary database beside its index, which equals the rows. Call it inside the snapshot
  /// in which the index was committed.
  static func keep(of store: PersistentStore, generation: String, state: IndexState) throws {
    guard store.isOrdinaryDatabase else { return }
    try RowDigestScan(of: store, drafting: generation).keep(state)
  }
}
