// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import FoundationEssentials
internal import IndexDefinitions
package import PersistentStore
internal import SearchIndex

/// Digests of the indexed rows, stored beside the index of a database without history. They show quickly which rows have
/// changed. They are only a shortcut: if they are missing or belong to other content, documents are compared.
package struct RowDigests {
  private struct Table {
    var keys: [Int64] = []
    var digests: [UInt64] = []

    mutating func sort() {
      let sorted = zip(keys, digests).sorted { $0.0 < $1.0 }
      keys = sorted.map(\.0)
      digests = sorted.map(\.1)
    }

    /// nil for a key that it does not have.
    func digest(of key: Int64) -> UInt64? {
      var (low, high) = (0, keys.count)
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < key { low = middle + 1 } else { high = middle }
      }
      return low < keys.count && keys[low] == key ? digests[low] : nil
    }
  }

  /// By entity number.
  private var tables: [Int: Table] = [:]

  /// Reads all rows. Call it inside a snapshot.
  ///
  /// - Parameters:
  ///   - known: Earlier digests. Rows that differ from them will be read.
  ///   - check: Called regularly; it may throw to end the work.
  package init(
    of store: PersistentStore, since known: RowDigests? = nil, check: () throws -> Void = StopSignal.check
  ) throws {
    for entity in store.layout.entities {
      let before = known?.tables[entity.number]
      var table = Table()
      var isAscending = true
      try Database.of(store)?.eachRowDigest(of: entity) { key, digest in
        if let last = table.keys.last, last >= key { isAscending = false }
        table.keys.append(key)
        table.digests.append(digest)
        if table.keys.count & 0xff == 0 { try check() }
        return before.map { $0.digest(of: key) != digest } ?? false
      }
      if !isAscending { table.sort() }
      tables[entity.number] = table
    }
  }

  /// The rows that were inserted, updated or deleted since `known`.
  package func changes(since known: RowDigests) -> Set<RowIdentifier> {
    var rows: Set<RowIdentifier> = []
    for (entity, table) in tables {
      let before = known.tables[entity] ?? Table()
      var at = 0
      func note(_ key: Int64) { rows.insert(RowIdentifier(entity: entity, key: key)) }
      for (key, digest) in zip(table.keys, table.digests) {
        while at < before.keys.count, before.keys[at] < key {
          note(before.keys[at])
          at += 1
        }
        let isKnown = at < before.keys.count && before.keys[at] == key
        if !isKnown || before.digests[at] != digest { note(key) }
        if isKnown { at += 1 }
      }
      for key in before.keys[at...] { note(key) }
    }
    return rows
  }

  /// The rows of a database without history that were inserted, updated or deleted since they were indexed. Call it inside
  /// a snapshot.
  ///
  /// - Parameter check: Called regularly; it may throw to end the work.
  /// - Returns: nil if the index has no digests of its rows.
  package static func changes(
    in store: PersistentStore, since state: IndexState, generation: String,
    check: () throws -> Void = StopSignal.check
  ) throws -> Set<RowIdentifier>? {
    guard let known = try RowDigests(generation: generation, state: state, store: store) else { return nil }
    return try RowDigests(of: store, since: known, check: check).changes(since: known)
  }

  // MARK: File

  private static let magic = Array("followspot rows 1\n".utf8)

  private static func path(in generation: String) -> String { generation + "/rows" }

  /// What the digests belong to: the content of the index, the definition and the model. Equal content was made of rows
  /// that give equal documents, whenever that was.
  private static func label(of state: IndexState) throws -> [UInt8] {
    let parts = [state.checksumText, try state.definition.digest(), state.token?.modelDigest ?? "-"]
    return magic + Array(parts.joined(separator: " ").utf8) + [0x0a]
  }

  /// The stored digests of an index; nil if there are none that belong to it.
  package init?(generation: String, state: IndexState, store: PersistentStore) throws {
    guard store.isOrdinaryDatabase, state.token?.modelDigest == store.modelDigest,
      let data = FileManager.default.contents(atPath: Self.path(in: generation))
    else { return nil }
    let label = try Self.label(of: state)
    guard data.starts(with: label), data.count >= label.count + 16 else { return nil }
    let isWhole = data.withUnsafeBytes { bytes -> Bool in
      let body = Array(bytes[..<(bytes.count - 16)])
      return ContentDigest(of: body).bytes == Array(bytes[(bytes.count - 16)...])
    }
    guard isWhole else { return nil }
    var at = label.count
    func number() -> UInt64 {
      defer { at += 8 }
      return data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
    }
    while at + 16 <= data.count - 16 {
      let entity = Int(truncatingIfNeeded: number())
      let count = Int(truncatingIfNeeded: number())
      guard count >= 0, at + count * 16 <= data.count - 16 else { return nil }
      var table = Table()
      table.keys = (0..<count).map { _ in Int64(bitPattern: number()) }
      table.digests = (0..<count).map { _ in number() }
      tables[entity] = table
    }
  }

  /// Stores the digests of a database without history beside its index, which equals the rows. Call it inside the snapshot
  /// in which the index was committed.
  package static func keep(of store: PersistentStore, generation: String, state: IndexState) throws {
    guard store.isOrdinaryDatabase, !store.tracking.hasHistory else { return }
    try RowDigests(of: store).write(generation: generation, state: state)
  }

  /// Stores the digests beside the index of these rows. An error is ignored, because it only costs time later.
  package func write(generation: String, state: IndexState) throws {
    var bytes = try Self.label(of: state)
    func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    for (entity, table) in tables.sorted(by: { $0.key < $1.key }) {
      append(UInt64(entity))
      append(UInt64(table.keys.count))
      for key in table.keys { append(UInt64(bitPattern: key)) }
      for digest in table.digests { append(digest) }
    }
    bytes += ContentDigest(of: bytes).bytes
    let url = URL(filePath: Self.path(in: generation))
    try? Data(bytes).write(to: url, options: .atomic)
  }
}
