/// The objects of one context by their identifiers. Objects are not kept: each leaves when it ends.
struct ObjectRegistry {
  private var tables: [ObjectIdentifier: KeyTable] = [:]
  /// The table that was asked last: most look-ups go to one entity.
  private var last: (entity: ObjectIdentifier, table: KeyTable)?
  /// Identifiers without a number for a key.
  private var others: [PersistentIdentifier.ID: Unmanaged<_ModelState>] = [:]

  private mutating func table(_ entity: EntityReference) -> KeyTable {
    let name = ObjectIdentifier(entity)
    if let last, last.entity == name { return last.table }
    let table = tables[name] ?? KeyTable()
    tables[name] = table
    last = (name, table)
    return table
  }

  subscript(_ identifier: PersistentIdentifier.ID) -> _ModelState? {
    mutating get {
      guard let key = identifier.number else { return others[identifier]?.takeUnretainedValue() }
      return table(identifier.entity).value(key)?.takeUnretainedValue()
    }
  }

  mutating func insert(_ state: _ModelState, _ identifier: PersistentIdentifier.ID) {
    if let key = identifier.number {
      table(identifier.entity).insert(Unmanaged.passUnretained(state), key)
    } else {
      others[identifier] = Unmanaged.passUnretained(state)
    }
  }

  /// Removes the object, unless another one stands under its identifier.
  mutating func remove(_ state: _ModelState, _ identifier: PersistentIdentifier.ID) {
    if let key = identifier.number {
      table(identifier.entity).remove(key, Unmanaged.passUnretained(state))
    } else if others[identifier]?.toOpaque() == Unmanaged.passUnretained(state).toOpaque() {
      others[identifier] = nil
    }
  }

  var all: [_ModelState] {
    (tables.values.flatMap(\.values) + Array(others.values)).map { $0.takeUnretainedValue() }
  }
}

/// Objects by the numbers of their keys: open addressing with linear probing. Several times as fast as a dictionary,
/// whose hashing guards against keys chosen by others.
private final class KeyTable {
  private typealias Entry = (key: Int64, value: Unmanaged<_ModelState>?)

  private var entries: UnsafeMutableBufferPointer<Entry>
  private var count = 0

  init() {
    entries = .allocate(capacity: 16)
    entries.initialize(repeating: (0, nil))
  }

  deinit { entries.deallocate() }

  /// Neighbours stay neighbours inside blocks of 1,024 keys: rows are mostly met in the order of their keys, and memory
  /// is fast then.
  private func start(_ key: Int64) -> Int {
    let block = (UInt64(bitPattern: key >> 10) &* 0x9E37_79B9_7F4A_7C15) >> 32
    return Int(truncatingIfNeeded: UInt64(bitPattern: key) &+ block) & (entries.count - 1)
  }

  private func place(_ key: Int64) -> Int {
    var place = start(key)
    while entries[place].value != nil, entries[place].key != key { place = (place + 1) & (entries.count - 1) }
    return place
  }

  func value(_ key: Int64) -> Unmanaged<_ModelState>? { entries[place(key)].value }

  func insert(_ value: Unmanaged<_ModelState>, _ key: Int64) {
    if count * 2 >= entries.count { grow() }
    let place = place(key)
    if entries[place].value == nil { count += 1 }
    entries[place] = (key, value)
  }

  private func grow() {
    let old = entries
    entries = .allocate(capacity: old.count * 2)
    entries.initialize(repeating: (0, nil))
    for entry in old where entry.value != nil { entries[place(entry.key)] = entry }
    old.deallocate()
  }

  func remove(_ key: Int64, _ value: Unmanaged<_ModelState>) {
    var hole = place(key)
    guard let found = entries[hole].value, found.toOpaque() == value.toOpaque() else { return }
    count -= 1
    // Entries that were pushed on by this one move back.
    var next = (hole + 1) & (entries.count - 1)
    while entries[next].value != nil {
      let home = start(entries[next].key)
      if (next - home) & (entries.count - 1) >= (next - hole) & (entries.count - 1) {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next + 1) & (entries.count - 1)
    }
    entries[hole] = (0, nil)
  }

  var values: [Unmanaged<_ModelState>] { entries.compactMap(\.value) }
}
