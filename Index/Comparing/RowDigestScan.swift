// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// One pass over all rows of an ordinary database: which have changed since others were indexed, and the digests for
/// the next pass.
struct RowDigestScan {
  /// The rows that were inserted, updated or deleted since the known digests, and those that the log has had since.
  private(set) var changes: Set<RowIdentifier> = []
  /// nil if the digests cannot be stored, which only costs time later.
  private let draft: RowDigestDraft?

  /// Keys and digests that are stored at once.
  private static let block = 8_192

  /// Reads all rows. Call it inside a snapshot.
  ///
  /// - Parameters:
  ///   - known: Earlier digests. Rows that differ from them will be read.
  ///   - generation: The index beside which the new digests may be kept.
  ///   - check: Called regularly; it may throw to end the work.
  package init(
    of store: PersistentStore, since known: RowDigests? = nil, drafting generation: String? = nil,
    check: () throws -> Void = StopSignal.check
  ) throws {
    draft = generation.flatMap(RowDigestDraft.init)
    changes = known?.logged ?? []
    guard let database = Database.of(store) else { return }
    for entity in store.layout.entities {
      let before = known?.table(ofEntity: entity.number)
      var merge = known.map { _ in Merge(entity: entity.number, known: before) }
      draft?.begin(entity: entity.number)
      let comesInOrder = database.ordersDigests(of: entity)
      // The rows whose keys do not come in order.
      var others: [(key: Int64, digest: UInt64)] = []
      var block: [UInt64] = []
      var last: Int64?
      func take(_ key: Int64, _ digest: UInt64) {
        // A damaged index of SQLite may repeat a key. Its row is read again, and nothing is kept.
        guard last.map({ $0 < key }) != false else {
          draft?.giveUp()
          merge?.note(key)
          return
        }
        last = key
        block.append(UInt64(bitPattern: key))
        block.append(digest)
        if block.count >= Self.block { flush() }
        merge?.take(key, digest)
      }
      func flush() {
        draft?.append(block)
        block.removeAll(keepingCapacity: true)
      }
      var read = 0
      try database.eachRowDigest(of: entity) { key, digest in
        read += 1
        if read & 0xff == 0 { try check() }
        guard !comesInOrder else {
          take(key, digest)
          return false
        }
        others.append((key, digest))
        return known != nil && before?.digest(of: key) != digest
      }
      others.sort { $0.key < $1.key }
      for (key, digest) in others { take(key, digest) }
      flush()
      merge?.end()
      changes.formUnion(merge?.changes ?? [])
    }
  }

  /// Stores the digests beside an index that equals the rows.
  func keep(_ state: IndexState) throws { draft?.finish(label: try RowDigestFile.label(of: state)) }

  /// Compares the rows of one table in the order of their keys with the known ones.
  private struct Merge {
    let entity: Int
    let known: RowDigests.Table?
    var changes: Set<RowIdentifier> = []
    private var at = 0

    init(entity: Int, known: RowDigests.Table?) { (self.entity, self.known) = (entity, known) }

    mutating func take(_ key: Int64, _ digest: UInt64) {
      guard let known else { return note(key) }
      while at < known.count, known.key(at) < key { noteNext() }
      guard at < known.count, known.key(at) == key else { return note(key) }
      if known.digest(at) != digest { note(key) }
      at += 1
    }

    /// Notes the known rows behind the last one.
    mutating func end() { while at < known?.count ?? 0 { noteNext() } }

    private mutating func noteNext() {
      if let known { note(known.key(at)) }
      at += 1
    }

    mutating func note(_ key: Int64) { changes.insert(RowIdentifier(entity: entity, key: key)) }
  }
}
