// SPDX-License-Identifier: MIT

package import SQLite

package struct SaveResult: Sendable {
  /// The number of the save's transaction, or of the newest one if nothing changed.
  package let transaction: Int64
  private let rows: [ChangeKind: [RowIdentifier]]

  init(transaction: Int64, rows: [ChangeKind: [RowIdentifier]] = [:]) {
    self.transaction = transaction
    self.rows = rows
  }

  /// In the order of the history.
  package func rows(_ kind: ChangeKind) -> [RowIdentifier] { rows[kind] ?? [] }

  var inserted: Int { rows(.insert).count }
  package var updated: Int { rows(.update).count }
  package var deleted: Int { rows(.delete).count }
  package var isEmpty: Bool { rows.values.allSatisfy(\.isEmpty) }
}

/// The changes of an open save. Rows are written at once, inside its SQLite transaction, and the history at the end.
/// Changes to one object coalesce: insert and update become an insert, insert and delete become nothing.
package final class Save {
  /// What the history will record for one object.
  struct Record {
    let row: RowIdentifier
    /// nil if the object was inserted and deleted.
    var kind: ChangeKind?
    var updated: Set<EntityLayout.Property> = []
    var tombstone: [Value] = []
  }

  /// The rows that a save inserts into one table. Their keys have no gaps.
  private final class InsertedRows {
    let first: Int64
    /// From the first key on.
    var recordIndexes: [Int] = []
    var next: Int64 { first + Int64(recordIndexes.count) }

    init(first: Int64) { self.first = first }
  }

  package let store: PersistentStore
  /// The records in the order in which the objects were first changed.
  private(set) var records: [Record] = []
  /// Indexes in `records`, except for objects that this save inserted, which are found by their keys.
  private var recordIndexes: [RowIdentifier: Int] = [:]
  /// By root entity.
  private var inserted: [Int: InsertedRows] = [:]
  private var lastInsertion: (entity: Int, statement: Statement, rows: InsertedRows)?
  var constraints = DeferredConstraints()
  /// nil if there are none.
  private(set) var external: ExternalChanges?
  var connection: Connection { store.connection }

  init(store: PersistentStore) { self.store = store }

  /// The next free key, by root entity.
  var nextKeys: [(root: Int, next: Int64)] {
    inserted.map { ($0.key, $0.value.next) }
  }

  /// The external files, created on first use; nil for an in-memory store.
  func externalChanges() -> ExternalChanges? {
    if external == nil { external = store.externalFiles.map { ExternalChanges($0, storeUUID: store.uuid) } }
    return external
  }

  /// Reserves memory for the changes of `count` objects.
  package func reserveCapacity(_ count: Int) { records.reserveCapacity(count) }

  // MARK: Changes

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - values: One value per attribute, by attribute index; nil means the attribute's default.
  ///   - related: Objects by relationship index; at most one for a to-one relationship.
  /// - Throws: `StoreError.invalidValue`, `.duplicate`. The row is not inserted then, and the save may continue. Only
  ///   if a related object would become a duplicate by its inverse, the save must be abandoned.
  @discardableResult
  package func insert(
    _ entity: EntityLayout, _ values: [Value?], related: [Int: [RowIdentifier]] = [:]
  ) throws -> RowIdentifier {
    precondition(values.count == entity.defaults.count, "one value for each attribute of \(entity.entity.name)")
    for (relationship, targets) in related { try check(targets, entity, relationship) }
    let (statement, rows) = try insertion(entity)
    let row = RowIdentifier(entity: entity.number, key: rows.next)
    try removingFilesOnError { try insertRow(row.key, entity, values, related, statement) }
    rows.recordIndexes.append(records.count)
    records.append(Record(row: row, kind: .insert))
    constraints.addCounts(ofInserted: row, entity)
    guard !related.isEmpty else { return row }
    for (relationship, targets) in related.sorted(by: { $0.key < $1.key }) where !targets.isEmpty {
      try connect(row, entity, relationship, targets)
    }
    return row
  }

  private func insertRow(
    _ key: Int64, _ entity: EntityLayout, _ values: [Value?], _ related: [Int: [RowIdentifier]],
    _ statement: Statement
  ) throws {
    let values = try stored(values, entity)
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    try statement.bind(Int64(entity.number), at: 2)
    try statement.bind(Int64(1), at: 3)
    for index in values.indices {
      let value = values[index] ?? entity.defaults[index]
      try check(value, index, entity)
      try statement.bind(value, at: Int32(index) + InsertStatement.firstAttribute)
    }
    for reference in entity.insertion.references {
      guard let target = related[reference.relationship]?.first else { continue }
      try statement.bind(target.key, at: reference.key)
      if let parameter = reference.entity { try statement.bind(Int64(target.entity), at: parameter) }
    }
    try refusingDuplicates(of: entity, key: nil) { property in
      Self.value(of: property, entity, values, related)
    } in: {
      try statement.runAgain()
    }
  }

  /// Sets attributes of a row. Unchanged values are not written.
  ///
  /// - Returns: Whether the row exists and something changed.
  @discardableResult
  package func update(_ entity: EntityLayout, key: Int64, _ changes: [(attribute: Int, value: Value)]) throws -> Bool {
    for change in changes { try check(change.value, change.attribute, entity, key: key) }
    let attributes = changes.map(\.attribute)
    let current = try store.withRow(of: entity, key: key, attributes: attributes) { row in
      row.map { row in attributes.indices.map(row.value) }
    }
    guard let current else { return false }
    var different: [(attribute: Int, value: Value)] = []
    var dropped: [Value] = []
    for (change, current) in zip(changes, current) {
      if entity.externalAttributes.contains(change.attribute) {
        guard try !store.holds(current, change.value) else { continue }
        dropped.append(current)
      } else if Self.isEqual(change.value, current) {
        continue
      }
      different.append(change)
    }
    guard !different.isEmpty else { return false }
    try removingFilesOnError { try write(different, entity, key) }
    for value in dropped { try drop(value) }
    return true
  }

  private func write(_ changes: [(attribute: Int, value: Value)], _ entity: EntityLayout, _ key: Int64) throws {
    let changes = try changes.map { change in
      let isExternal = entity.externalAttributes.contains(change.attribute)
      return (attribute: change.attribute, value: isExternal ? try stored(change.value) : change.value)
    }
    let row = RowIdentifier(entity: entity.number, key: key)
    let isFirst = recordIndex(of: row) == nil
    let assignments =
      (isFirst ? ["Z_OPT = Z_OPT + 1"] : [])
      + changes.enumerated().map { "\(entity.quotedColumn($1.attribute)) = ?\($0 + 2)" }
    let sql = "UPDATE \(entity.quotedTable) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1"
    try refusingDuplicates(of: entity, key: key) { property in
      changes.last { property == .attribute($0.attribute) }?.value
    } in: {
      try connection.run(sql, [.integer(key)] + changes.map(\.value))
    }
    record(row, changes.map { .attribute($0.attribute) })
  }

  /// Deletes a row, keeps its preserved attributes for the tombstone, and applies the delete rules to related objects.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  package func delete(_ entity: EntityLayout, key: Int64) throws -> Bool {
    guard try store.exists(entity, key: key) else { return false }
    // No recursion, because a chain of cascades may be as long as the store.
    var remaining = [RowIdentifier(entity: entity.number, key: key)]
    while let row = remaining.popLast() {
      guard let entity = store.layout.entity(number: row.entity), try store.exists(entity, key: row.key) else {
        continue
      }
      remaining += try applyDeleteRules(to: row, entity)
      try remove(row, entity)
    }
    return true
  }

  private func remove(_ row: RowIdentifier, _ entity: EntityLayout) throws {
    if !entity.externalAttributes.isEmpty {
      let stored = try store.withRow(of: entity, key: row.key, attributes: entity.externalAttributes) { found in
        found.map { found in entity.externalAttributes.indices.map(found.value) } ?? []
      }
      for value in stored { try drop(value) }
    }
    let preserved = entity.tombstoneOrder
    let tombstone = try store.withRow(of: entity, key: row.key, attributes: preserved) { found in
      found.map { found in preserved.indices.map(found.value) } ?? []
    }
    try connection.run("DELETE FROM \(entity.quotedTable) WHERE Z_PK = ?1", [.integer(row.key)])
    if let index = recordIndex(of: row) {
      let wasInserted = records[index].kind == .insert
      records[index].kind = wasInserted ? nil : .delete
      records[index].updated = []
      records[index].tombstone = wasInserted ? [] : tombstone
    } else {
      recordIndexes[row] = records.count
      records.append(Record(row: row, kind: .delete, tombstone: tombstone))
    }
  }

  /// Records writes to properties of an existing row. The first one in this save increments the row's version.
  func touch(_ row: RowIdentifier, _ properties: [EntityLayout.Property]) throws {
    if recordIndex(of: row) == nil, let entity = store.layout.entity(number: row.entity) {
      try connection.run("UPDATE \(entity.quotedTable) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1", [.integer(row.key)])
    }
    record(row, properties)
  }

  private func record(_ row: RowIdentifier, _ properties: [EntityLayout.Property]) {
    if let index = recordIndex(of: row) {
      if records[index].kind == .update { records[index].updated.formUnion(properties) }
    } else {
      recordIndexes[row] = records.count
      records.append(Record(row: row, kind: .update, updated: Set(properties)))
    }
  }

  /// The row's version (`Z_OPT`); nil if there is no such row.
  package func version(of entity: EntityLayout, key: Int64) throws -> Int64? {
    try connection.integer(
      "SELECT Z_OPT FROM \(entity.quotedTable) WHERE Z_PK = ?1 AND Z_ENT = \(entity.number)", [.integer(key)])
  }

  // MARK: Helpers

  /// Whether this save inserted or updated the row and did not delete it.
  func isPresent(_ row: RowIdentifier) -> Bool {
    guard let index = recordIndex(of: row), records[index].row == row else { return false }
    return records[index].kind == .insert || records[index].kind == .update
  }

  private func recordIndex(of row: RowIdentifier) -> Int? {
    if !inserted.isEmpty, let root = store.layout.entity(number: row.entity)?.rootNumber, let own = inserted[root],
      row.key >= own.first
    {
      let offset = Int(row.key - own.first)
      return own.recordIndexes.indices.contains(offset) ? own.recordIndexes[offset] : nil
    }
    return recordIndexes[row]
  }

  private func check(_ value: Value, _ attribute: Int, _ entity: EntityLayout, key: Int64? = nil) throws {
    let (type, isOptional) = entity.attributeTypes[attribute]
    let isAccepted = if case .null = value { isOptional } else { type.accepts(value) }
    guard !isAccepted else { return }
    let name = entity.entity.attributes[attribute].name
    throw StoreError.invalidValue(
      "\(entity.entity.name).\(name) \(value.isNull ? "needs a value" : "does not accept this value")",
      StoreError.Subject(entity.entity.name, [name], key: key), recovery: value.isNull ? .giveValue : nil)
  }

  /// Inserts a row of the entity. The statement is kept, because looking up a long text takes a good part of an
  /// insert's time.
  private func insertion(_ entity: EntityLayout) throws -> (statement: Statement, rows: InsertedRows) {
    if let lastInsertion, lastInsertion.entity == entity.number {
      return (lastInsertion.statement, lastInsertion.rows)
    }
    let statement = try connection.statement(entity.insertion.sql)
    let rows = try insertedRows(entity.rootNumber)
    lastInsertion = (entity.number, statement, rows)
    return (statement, rows)
  }

  private func insertedRows(_ root: Int) throws -> InsertedRows {
    if let known = inserted[root] { return known }
    let rows = InsertedRows(first: try store.maximum(ofEntity: root) + 1)
    inserted[root] = rows
    return rows
  }

  /// Whether two values are stored equally. SQLite stores an integral real in a date's column as an integer, and texts
  /// are compared by bytes, not by Unicode equivalence.
  private static func isEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let whole), .real(let number)), (.real(let number), .integer(let whole)): Double(whole) == number
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    default: left == right
    }
  }
}
