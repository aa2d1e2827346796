// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The objects of one context by their identifiers. Objects are not retained; each is removed when it is deallocated.
final class ObjectRegistry {
  private var tables: [ObjectIdentifier: KeyTable] = [:]
  /// The two tables of the last look-ups: most look-ups go to one entity, and those of a save to its unsaved one too.
  private var last: (entity: ObjectIdentifier, table: KeyTable)?
  private var previous: (entity: ObjectIdentifier, table: KeyTable)?
  /// Identifiers without a number for a key.
  private var others: [PersistentIdentifier.ID: Unmanaged<_ModelState>] = [:]

  /// The objects of one entity.
  func table(_ entity: EntityReference) -> KeyTable {
    let name = ObjectIdentifier(entity)
    if let last, last.entity == name { return last.table }
    if let previous, previous.entity == name { return previous.table }
    let table = tables[name] ?? KeyTable()
    tables[name] = table
    (previous, last) = (last, (name, table))
    return table
  }

  subscript(_ identifier: PersistentIdentifier.ID) -> _ModelState? {
    guard let key = identifier.number else { return others[identifier]?.takeUnretainedValue() }
    return table(identifier.entity)[key]
  }

  func insert(_ state: _ModelState, _ identifier: PersistentIdentifier.ID) {
    if let key = identifier.number {
      table(identifier.entity).insert(state, key)
    } else {
      others[identifier] = Unmanaged.passUnretained(state)
    }
  }

  /// Removes the object, unless another one is registered under its identifier.
  func remove(_ state: _ModelState, _ identifier: PersistentIdentifier.ID) {
    if let key = identifier.number {
      table(identifier.entity).remove(state, key)
    } else if others[identifier]?.toOpaque() == Unmanaged.passUnretained(state).toOpaque() {
      others[identifier] = nil
    }
  }

  /// Calls `body` with every object. It must neither end an object nor change the registry.
  func visit(_ body: (_ModelState) -> Void) {
    for table in tables.values { table.visit(body) }
    for state in others.values { state._withUnsafeGuaranteedRef(body) }
  }
}

/// Objects by the numbers of their keys, with open addressing.
///
/// A key's first slot is the key itself. Rows are mostly read in the order of dense keys, which then have slots of their
/// own, side by side in memory. Where slots collide, the key's higher bits decide the next one. Several times as fast as a
/// dictionary, whose hashing guards against keys chosen by others.
final class KeyTable {
  /// All bits of a free entry are 0, so a large table takes memory only where it is used.
  private struct Entry {
    /// Of an entry without an object: 0 if it never had one.
    var key: Int64
    var state: Unmanaged<_ModelState>?

    var isFree: Bool { state == nil && key == 0 }
    static var left: Entry { Entry(key: -1, state: nil) }
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  /// Entries that are not free.
  private var used = 0
  private var count = 0

  init() { entries = Self.room(16) }

  deinit { free(entries.baseAddress) }

  private static func room(_ capacity: Int) -> UnsafeMutableBufferPointer<Entry> {
    guard let memory = calloc(capacity, MemoryLayout<Entry>.stride) else { preconditionFailure("out of memory") }
    return UnsafeMutableBufferPointer(start: memory.bindMemory(to: Entry.self, capacity: capacity), count: capacity)
  }

  /// The index of the key's entry, or of the free entry at which the search for it ended.
  private func index(of key: Int64) -> Int {
    let mask = UInt64(entries.count - 1)
    var rest = UInt64(bitPattern: key)
    var index = rest & mask
    while true {
      let entry = entries[Int(index)]
      if entry.state == nil ? entry.key == 0 : entry.key == key { return Int(index) }
      rest >>= 5
      index = (index &* 5 &+ rest &+ 1) & mask
    }
  }

  subscript(_ key: Int64) -> _ModelState? {
    entries[index(of: key)].state?.takeUnretainedValue()
  }

  func insert(_ state: _ModelState, _ key: Int64) {
    if used * 2 >= entries.count { makeRoom() }
    let index = index(of: key)
    if entries[index].isFree { (used, count) = (used + 1, count + 1) }
    entries[index] = Entry(key: key, state: Unmanaged.passUnretained(state))
  }

  private func makeRoom() {
    let old = entries
    entries = Self.room(count * 4 > old.count ? old.count * 2 : old.count)
    used = count
    for entry in old where entry.state != nil { entries[index(of: entry.key)] = entry }
    free(old.baseAddress)
  }

  /// Removes the object, unless the key is of another one.
  func remove(_ state: _ModelState, _ key: Int64) {
    let index = index(of: key)
    guard entries[index].state?.toOpaque() == Unmanaged.passUnretained(state).toOpaque() else { return }
    entries[index] = .left
    count -= 1
  }

  func visit(_ body: (_ModelState) -> Void) {
    for entry in entries { entry.state?._withUnsafeGuaranteedRef(body) }
  }
}
