// SPDX-License-Identifier: MIT

internal import SQLite

/// Numbers the rows of a table whose key is not an integer. A number is a digest of the key alone, so it is the same in
/// every process, before and after `attach`. Two keys of one table have the same number with a probability of 1 to 10^18.
///
/// It is a virtual table with the columns `id`, then `k0`, `k1` … for the columns of the key. A number of a known key is
/// computed. The key of a number is one that was seen lately, or that an index has kept, or else all keys are read once.
final class KeyNumbers {
  let sql: KeyNumberTable
  private let select: String
  /// Selects the key of the row whose key equals the parameters.
  private let selectOwn: String
  private let collations: [KeyCollation]
  private unowned let connection: Connection

  /// Maximum number of keys that are kept one by one.
  private static let mostSeen = 100_000
  private var seen: [Int64: [UInt8]] = [:]
  /// The number and the key that were computed last.
  private var last: (number: Int64, key: [Value])?
  /// All keys, and the state of the database that has them.
  private var all: (version: Int64, keys: SortedKeys)?
  /// Gives the bytes of a key by its number, from an index; they may be missing or wrong.
  var keptKey: ((Int64) -> [UInt8]?)?

  init(_ table: DatabaseTable, _ sql: KeyNumberTable, _ connection: Connection) {
    self.sql = sql
    self.connection = connection
    collations = sql.columns.map { KeyCollation(quoted: $0.collation) ?? .binary }
    select =
      "SELECT \(sql.columns.map { quoted($0.name) }.joined(separator: ", ")) FROM \(table.quotedName) t"
      + (table.keyCondition.map { " WHERE " + $0 } ?? "")
    let equalities = sql.columns.enumerated().map { "t.\(quoted($1.name)) = ?\($0 + 1) COLLATE \($1.collation)" }
    selectOwn =
      "SELECT \(sql.columns.map { quoted($0.name) }.joined(separator: ", ")) FROM \(table.quotedName) t WHERE "
      + equalities.joined(separator: " AND ")
  }

  /// Makes the virtual table and the function available to statements of the connection.
  func define() throws {
    try connection.define(self) { _ in }
    try connection.define(integer: sql.name + "_of") { [unowned self] values in
      guard !values.contains(where: \.isNull) else { return nil }
      let number = number(of: values)
      remember(number, values)
      return number
    }
  }

  /// The number of a key, above zero.
  func number(of key: [Value]) -> Int64 {
    var bytes = RowBytes()
    for (value, collation) in zip(key, collations) { bytes.append(value, equalBy: collation) }
    return Self.number(bytes)
  }

  /// The number of the key in the first columns of a row.
  ///
  /// - Parameter bytes: A buffer that is reused for many rows.
  func number(ofKey row: Statement, using bytes: inout RowBytes) -> Int64 {
    bytes.removeAll()
    for (column, collation) in collations.enumerated() { bytes.append(row, Int32(column), equalBy: collation) }
    return Self.number(bytes)
  }

  private static func number(_ bytes: RowBytes) -> Int64 { Int64(bytes.digest >> 2) + 1 }

  /// Keeps a key for the moment when its row is looked for by its number.
  func remember(_ number: Int64, _ key: [Value]) {
    if seen.count >= Self.mostSeen { seen = [:] }
    seen[number] = Self.bytes(of: key)
  }

  /// Keeps the key in the first columns of a row.
  func remember(_ number: Int64, keyOf row: Statement) {
    remember(number, row.values(collations.count))
  }

  private static func bytes(of key: [Value]) -> [UInt8] {
    var bytes = RowBytes()
    for value in key { bytes.append(value) }
    return bytes.bytes
  }

  /// The bytes of the key with this number, which an index keeps for `keptKey`; nil if no row is known to have it.
  func bytes(ofKeyNumbered number: Int64) throws -> [UInt8]? { try key(number).map(Self.bytes) }

  /// The key with this number as its row has it, because a collation or a type may consider other values equal; nil if it
  /// is not known. The row may be deleted.
  func ownKey(_ number: Int64) throws -> [Value]? {
    guard let key = try key(number), !sql.columns.allSatisfy(\.comparesExactly) else { return try key(number) }
    return try connection.firstRow(selectOwn, key) { $0.values(collations.count) } ?? key
  }

  /// The key with this number; nil if no row has it.
  private func key(_ number: Int64) throws -> [Value]? {
    if let last, last.number == number { return last.key }
    if let bytes = seen[number] { return RowBytes.values(bytes[...]) }
    if let bytes = keptKey?(number), let key = RowBytes.values(bytes[...]), key.count == collations.count,
      self.number(of: key) == number
    {
      return key
    }
    return try keys().key(number)
  }

  /// All keys of the present state of the database.
  private func keys() throws -> SortedKeys {
    let version = try connection.dataVersion()
    if let all, all.version == version { return all.keys }
    all = nil
    let rows = try connection.cursor(select)
    var buffer = RowBytes()
    let keys = SortedKeys()
    while try rows.step() {
      let number = number(ofKey: rows, using: &buffer)
      buffer.removeAll()
      for column in collations.indices { buffer.append(rows, Int32(column)) }
      keys.add(number, buffer.bytes)
    }
    keys.sort()
    all = (version, keys)
    return keys
  }
}

extension KeyNumbers: VirtualTable {
  var name: String { sql.name }

  var declaration: String {
    let keys = sql.columns.enumerated().map { ", k\($0) \($1.affinity)" }
    return "CREATE TABLE numbers (id INTEGER\(keys.joined()))"
  }

  func plan(_ request: ScanRequest) -> ScanPlan? {
    func usable(_ column: Int, _ operations: [ScanCondition.Operation]) -> Int? {
      request.conditions.firstIndex { $0.column == column && $0.isUsable && operations.contains($0.operation) }
    }
    var plan = ScanPlan()
    let keys = sql.columns.indices.compactMap { usable($0 + 1, [.equal]) }
    if let id = usable(0, [.equal]) {
      (plan.used, plan.isUnique, plan.rows, plan.cost, plan.text) = ([id], true, 1, 2, "key of a number")
      return plan
    }
    if keys.count == sql.columns.count {
      (plan.used, plan.isUnique, plan.rows, plan.cost, plan.text) = (keys, true, 1, 1, "number of a key")
      return plan
    }
    plan.used = [usable(0, [.greater, .greaterOrEqual]), usable(0, [.less, .lessOrEqual])].compactMap(\.self)
    plan.isOrdered = request.order.map { $0.column == 0 } ?? false
    plan.text = request.order?.isDescending == true && plan.isOrdered ? "numbers in descending order" : "numbers"
    plan.isDescending = plan.isOrdered && request.order?.isDescending == true
    plan.rows = plan.used.isEmpty ? 1_000_000 : 1_000
    // Without a bound, a scan of the table itself costs less: it computes each number.
    plan.cost = plan.used.isEmpty ? (plan.isOrdered ? 2_000_000 : 100_000_000) : 1_000
    return plan
  }

  func cursor() -> any VirtualCursor { KeyCursor(self) }

  /// The rows of a scan: one key, or a range of all keys.
  fileprivate func scan(_ plan: ScanPlan, _ arguments: [Value]) throws -> KeyCursor.Scan {
    guard !arguments.contains(where: \.isNull) else { return .none }
    guard plan.isUnique else {
      var (lowest, highest) = (Int64.min, Int64.max)
      for (condition, argument) in zip(plan.conditions, arguments) {
        guard case .integer(let bound) = argument else { continue }
        // SQLite tests the bounds again.
        switch condition.operation {
        case .less, .lessOrEqual: highest = bound
        default: lowest = bound
        }
      }
      let keys = try keys()
      let range = lowest <= highest ? keys.indices(of: lowest...highest) : 0..<0
      return plan.isDescending
        ? .range(keys, next: range.upperBound - 1, last: range.lowerBound, step: -1)
        : .range(keys, next: range.lowerBound, last: range.upperBound - 1, step: 1)
    }
    if plan.conditions[0].column == 0 {
      guard case .integer(let number) = arguments[0], let key = try key(number) else { return .none }
      last = (number, key)
    } else {
      // The conditions are those of the columns in their order.
      let number = number(of: arguments)
      last = (number, arguments)
      if seen.count < Self.mostSeen { remember(number, arguments) }
    }
    return last.map { .one($0.number, $0.key) } ?? .none
  }
}

private final class KeyCursor: VirtualCursor {
  enum Scan {
    case none
    case one(Int64, [Value])
    /// The positions from `next` to `last`, in steps of 1 or -1.
    case range(SortedKeys, next: Int, last: Int, step: Int)
  }

  private let numbers: KeyNumbers
  private var scan = Scan.none
  private var current: (number: Int64, key: [Value])?
  var isAtEnd: Bool { current == nil }
  var rowid: Int64 { current?.number ?? 0 }

  init(_ numbers: KeyNumbers) { self.numbers = numbers }

  func start(_ plan: ScanPlan, _ arguments: [Value]) throws {
    scan = try numbers.scan(plan, arguments)
    next()
  }

  func next() {
    current = nil
    switch scan {
    case .none: break
    case .one(let number, let key):
      current = (number, key)
      scan = .none
    case .range(let keys, let position, let last, let step):
      guard (last - position) * step >= 0, let key = keys[position] else { return }
      current = (key.number, key.values)
      scan = .range(keys, next: position + step, last: last, step: step)
    }
  }

  func column(_ index: Int, _ result: ColumnResult) {
    guard let current else { return }
    if index == 0 { result.integer(current.number) } else { result.value(current.key[index - 1]) }
  }
}

/// All keys of a table in the order of their numbers, in one block of memory.
private final class SortedKeys {
  /// The numbers, and where in `bytes` their keys are.
  private var keys: [(number: Int64, start: Int, length: Int32)] = []
  private var bytes: [UInt8] = []

  func add(_ number: Int64, _ key: [UInt8]) {
    keys.append((number, bytes.count, Int32(key.count)))
    bytes += key
  }

  /// Call it after the last key was added.
  func sort() { keys.sort { $0.number < $1.number } }

  subscript(position: Int) -> (number: Int64, values: [Value])? {
    let (number, start, length) = keys[position]
    return RowBytes.values(bytes[start..<(start + Int(length))]).map { (number, $0) }
  }

  func indices(of range: ClosedRange<Int64>) -> Range<Int> {
    let first = firstIndex { $0 >= range.lowerBound }
    return first..<max(first, firstIndex { $0 > range.upperBound })
  }

  func key(_ number: Int64) -> [Value]? {
    let position = firstIndex { $0 >= number }
    guard position < keys.count, keys[position].number == number else { return nil }
    return self[position]?.values
  }

  /// The first position whose number fulfils a condition that all later ones fulfil too.
  private func firstIndex(where condition: (Int64) -> Bool) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if condition(keys[middle].number) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
