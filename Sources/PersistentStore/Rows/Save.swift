package import SQLite

/// What one save did.
package struct SaveResult: Equatable, Sendable {
  /// The number of the transaction, or of the newest one where nothing changed.
  package var transaction: Int64
  package var inserted = 0
  package var updated = 0
  package var deleted = 0

  package var isEmpty: Bool { inserted + updated + deleted == 0 }
}

/// The changes of one save while it is open. Rows are written at once, inside the save's SQLite transaction; the
/// history is written when the save ends. Changes to one object coalesce: insert and update is an insert, insert and
/// delete is nothing.
package final class Save {
  struct Record {
    var kind: ChangeKind
    var updated: Set<Int> = []
    var tombstone: [Value] = []
  }

  let store: PersistentStore
  private(set) var records: [RowIdentifier: Record] = [:]
  /// In the order in which the objects were first touched.
  private(set) var order: [RowIdentifier] = []
  private(set) var nextKeys: [Int: Int64] = [:]
  private var connection: Connection { store.connection }

  init(store: PersistentStore) { self.store = store }

  /// Inserts a row.
  ///
  /// - Parameter values: One value an attribute, by attribute index; nil stands for the attribute's default.
  /// - Throws: `StoreError.invalidValue`, `.duplicate`; the row is not inserted then and the save may go on.
  @discardableResult
  package func insert(_ entity: EntityLayout, _ values: [Value?]) throws -> RowIdentifier {
    let attributes = entity.entity.attributes
    precondition(values.count == attributes.count, "one value for each attribute of \(entity.entity.name)")
    let complete = zip(values, attributes).map { $0 ?? $1.defaultValue ?? .null }
    for (value, attribute) in zip(complete, attributes) { try check(value, attribute, entity) }
    let key = try nextKey(entity)
    let statement = try connection.statement(entity.insertSQL)
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    try statement.bind(Int64(entity.number), at: 2)
    try statement.bind(Int64(1), at: 3)
    for (index, value) in complete.enumerated() { try statement.bind(value, at: Int32(index) + 4) }
    try refusingDuplicates(entity, complete.enumerated().map { (attribute: $0.offset, value: $0.element) }) {
      try statement.run()
    }
    nextKeys[entity.number] = key + 1
    let row = RowIdentifier(entity: entity.number, key: key)
    records[row] = Record(kind: .insert)
    order.append(row)
    return row
  }

  /// Sets attributes of a row; those that hold the value already are not written.
  ///
  /// - Returns: Whether the row exists and something changed.
  @discardableResult
  package func update(_ entity: EntityLayout, key: Int64, _ changes: [(attribute: Int, value: Value)]) throws -> Bool {
    for change in changes { try check(change.value, entity.entity.attributes[change.attribute], entity) }
    let attributes = changes.map(\.attribute)
    let current = try store.withRow(of: entity, key: key, attributes: attributes) { row in
      row.map { row in attributes.indices.map(row.value) }
    }
    guard let current else { return false }
    let different = zip(changes, current).filter { !Self.isEqual($0.value, $1) }.map(\.0)
    guard !different.isEmpty else { return false }
    let assignments = different.enumerated().map { "\(entity.quotedColumn($1.attribute)) = ?\($0 + 2)" }
    let statement = try connection.statement(
      "UPDATE \(entity.quotedTable) SET Z_OPT = Z_OPT + 1, \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    for (index, change) in different.enumerated() { try statement.bind(change.value, at: Int32(index) + 2) }
    try refusingDuplicates(entity, different.map { ($0.attribute, $0.value) }) { try statement.run() }
    let row = RowIdentifier(entity: entity.number, key: key)
    if records[row] == nil {
      records[row] = Record(kind: .update)
      order.append(row)
    }
    records[row]?.updated.formUnion(different.map(\.attribute))
    return true
  }

  /// Deletes a row and keeps its preserved attributes for the tombstone.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  package func delete(_ entity: EntityLayout, key: Int64) throws -> Bool {
    let preserved = entity.tombstoneOrder
    let tombstone = try store.withRow(of: entity, key: key, attributes: preserved) { row in
      row.map { row in preserved.indices.map(row.value) }
    }
    guard let tombstone else { return false }
    let statement = try connection.statement("DELETE FROM \(entity.quotedTable) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    try statement.run()
    let row = RowIdentifier(entity: entity.number, key: key)
    switch records[row]?.kind {
    case .insert:
      records[row] = nil
      order.removeAll { $0 == row }
    case nil:
      order.append(row)
      fallthrough
    default: records[row] = Record(kind: .delete, tombstone: tombstone)
    }
    return true
  }

  // MARK: Helpers

  private func nextKey(_ entity: EntityLayout) throws -> Int64 {
    if let next = nextKeys[entity.number] { return next }
    return try store.maximum(ofEntity: entity.number) + 1
  }

  private func check(_ value: Value, _ attribute: AttributeDescription, _ entity: EntityLayout) throws {
    if value.isNull {
      guard attribute.isOptional else {
        throw StoreError.invalidValue("\(entity.entity.name).\(attribute.name) needs a value")
      }
    } else if !attribute.type.accepts(value) {
      throw StoreError.invalidValue("\(entity.entity.name).\(attribute.name) takes no such value")
    }
  }

  private func refusingDuplicates(
    _ entity: EntityLayout, _ values: [(attribute: Int, value: Value)], _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.isConstraint {
      let taken = try values.first {
        try entity.entity.attributes[$0.attribute].isUnique && !$0.value.isNull
          && store.key(of: entity, where: $0.attribute, equals: $0.value) != nil
      }
      let name = taken.map { entity.entity.attributes[$0.attribute].name } ?? "a unique attribute"
      throw StoreError(.duplicate, "another \(entity.entity.name) has the same \(name)", cause: error)
    }
  }

  /// Equal as stored: SQLite keeps an integral real in a date's column as an integer, and texts are their bytes,
  /// whatever Unicode calls equal.
  private static func isEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let whole), .real(let number)), (.real(let number), .integer(let whole)): Double(whole) == number
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    default: left == right
    }
  }
}
