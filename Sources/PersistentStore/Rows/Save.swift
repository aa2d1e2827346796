package import SQLite

/// What one save did.
package struct SaveResult: Sendable {
  /// The number of the transaction, or of the newest one where nothing changed.
  package let transaction: Int64
  private let rows: [ChangeKind: [RowIdentifier]]

  init(transaction: Int64, rows: [ChangeKind: [RowIdentifier]] = [:]) {
    self.transaction = transaction
    self.rows = rows
  }

  /// The rows that changed in one way, in the order of the history.
  package func rows(_ kind: ChangeKind) -> [RowIdentifier] { rows[kind] ?? [] }

  package var inserted: Int { rows(.insert).count }
  package var updated: Int { rows(.update).count }
  package var deleted: Int { rows(.delete).count }
  package var isEmpty: Bool { rows.values.allSatisfy(\.isEmpty) }
}

/// The changes of one save while it is open. Rows are written at once, inside the save's SQLite transaction; the
/// history is written when the save ends. Changes to one object coalesce: insert and update is an insert, insert and
/// delete is nothing.
package final class Save {
  /// What the history will say of one object.
  struct Record {
    let row: RowIdentifier
    /// nil for an object that was inserted and deleted.
    var kind: ChangeKind?
    var updated: Set<EntityLayout.Property> = []
    var tombstone: [Value] = []
  }

  package let store: PersistentStore
  /// In the order in which the objects were first touched.
  private(set) var records: [Record] = []
  /// Places in `records`, but for objects that this save inserted, which are found by their keys.
  private var places: [RowIdentifier: Int] = [:]
  /// By root entity: the first key this save gave, and the places of the records of the keys from there on.
  private var inserted: [Int: (first: Int64, places: [Int])] = [:]
  private var lastInsertion: (entity: Int, statement: Statement)?
  /// What has to hold when the save ends.
  var constraints = DeferredConstraints()
  /// Files of long values; nil where there are none.
  private(set) var external: ExternalChanges?
  var connection: Connection { store.connection }

  init(store: PersistentStore) { self.store = store }

  /// The key after the highest one in use, by root entity.
  var nextKeys: [(root: Int, next: Int64)] { inserted.map { ($0.key, $0.value.first + Int64($0.value.places.count)) } }

  /// Where files go; nil of a store in memory.
  func externalChanges() -> ExternalChanges? {
    if external == nil { external = store.externalFiles.map { ExternalChanges($0, storeUUID: store.uuid) } }
    return external
  }

  // MARK: Changes

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - values: One value an attribute, by attribute index; nil stands for the attribute's default.
  ///   - related: Objects by relationship index; a to-one relationship takes one at most.
  /// - Throws: `StoreError.invalidValue`, `.duplicate`; the row is not inserted then and the save may go on. Only where
  ///   a related object that is to lead back would become a duplicate, the save has to be given up.
  @discardableResult
  package func insert(
    _ entity: EntityLayout, _ values: [Value?], related: [Int: [RowIdentifier]] = [:]
  ) throws -> RowIdentifier {
    precondition(values.count == entity.defaults.count, "one value for each attribute of \(entity.entity.name)")
    for (relationship, targets) in related { try check(targets, entity, relationship) }
    let key = try takingBackFiles { try insertRow(entity, values, related) }
    let row = RowIdentifier(entity: entity.number, key: key)
    inserted[entity.rootNumber, default: (key, [])].places.append(records.count)
    records.append(Record(row: row, kind: .insert))
    constraints.note(inserted: row, entity)
    for (relationship, targets) in related.sorted(by: { $0.key < $1.key }) where !targets.isEmpty {
      try connect(row, entity, relationship, targets)
    }
    return row
  }

  private func insertRow(
    _ entity: EntityLayout, _ values: [Value?], _ related: [Int: [RowIdentifier]]
  ) throws -> Int64 {
    let values = try stored(values, entity)
    let key = try nextKey(entity)
    let statement = try insertion(entity)
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
      if let place = reference.entity { try statement.bind(Int64(target.entity), at: place) }
    }
    try refusingDuplicates(of: entity, key: nil) { property in
      Self.value(of: property, entity, values, related)
    } in: {
      try statement.runAgain()
    }
    return key
  }

  /// Sets attributes of a row; those that hold the value already are not written.
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
    try takingBackFiles { try write(different, entity, key) }
    for value in dropped { try drop(value) }
    return true
  }

  private func write(_ changes: [(attribute: Int, value: Value)], _ entity: EntityLayout, _ key: Int64) throws {
    let changes = try changes.map { change in
      let isExternal = entity.externalAttributes.contains(change.attribute)
      return (attribute: change.attribute, value: isExternal ? try stored(change.value) : change.value)
    }
    let row = RowIdentifier(entity: entity.number, key: key)
    let isFirst = place(of: row) == nil
    let assignments =
      (isFirst ? ["Z_OPT = Z_OPT + 1"] : [])
      + changes.enumerated().map { "\(entity.quotedColumn($1.attribute)) = ?\($0 + 2)" }
    let statement = try connection.statement(
      "UPDATE \(entity.quotedTable) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    for (index, change) in changes.enumerated() { try statement.bind(change.value, at: Int32(index) + 2) }
    try refusingDuplicates(of: entity, key: key) { property in
      changes.last { property == .attribute($0.attribute) }?.value
    } in: {
      try statement.run()
    }
    record(row, changes.map { .attribute($0.attribute) })
  }

  /// Deletes a row, keeps its preserved attributes for the tombstone, and does to related objects what the delete
  /// rules say.
  ///
  /// - Returns: Whether the row existed.
  @discardableResult
  package func delete(_ entity: EntityLayout, key: Int64) throws -> Bool {
    guard try store.exists(entity, key: key) else { return false }
    // Not by recursion: a chain of cascades may be as long as the store.
    var doomed = [RowIdentifier(entity: entity.number, key: key)]
    while let row = doomed.popLast() {
      guard let entity = store.layout.entity(number: row.entity), try store.exists(entity, key: row.key) else {
        continue
      }
      doomed += try loosen(row, entity)
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
    let statement = try connection.statement("DELETE FROM \(entity.quotedTable) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(row.key, at: 1)
    try statement.run()
    if let place = place(of: row) {
      let wasInserted = records[place].kind == .insert
      records[place].kind = wasInserted ? nil : .delete
      records[place].updated = []
      records[place].tombstone = wasInserted ? [] : tombstone
    } else {
      places[row] = records.count
      records.append(Record(row: row, kind: .delete, tombstone: tombstone))
    }
  }

  /// Records that properties of an existing row were written; with its first change in this save the row's lock
  /// number rises.
  func touch(_ row: RowIdentifier, _ properties: [EntityLayout.Property]) throws {
    if place(of: row) == nil, let entity = store.layout.entity(number: row.entity) {
      let statement = try connection.statement("UPDATE \(entity.quotedTable) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1")
      try statement.bind(row.key, at: 1)
      try statement.run()
    }
    record(row, properties)
  }

  private func record(_ row: RowIdentifier, _ properties: [EntityLayout.Property]) {
    if let place = place(of: row) {
      if records[place].kind == .update { records[place].updated.formUnion(properties) }
    } else {
      places[row] = records.count
      records.append(Record(row: row, kind: .update, updated: Set(properties)))
    }
  }

  // MARK: Helpers

  /// Whether this save wrote to the row and left it there.
  func isPresent(_ row: RowIdentifier) -> Bool {
    guard let place = place(of: row), records[place].row == row else { return false }
    return records[place].kind == .insert || records[place].kind == .update
  }

  private func place(of row: RowIdentifier) -> Int? {
    if !inserted.isEmpty, let root = store.layout.entity(number: row.entity)?.rootNumber, let own = inserted[root],
      row.key >= own.first
    {
      let offset = Int(row.key - own.first)
      return own.places.indices.contains(offset) ? own.places[offset] : nil
    }
    return places[row]
  }

  private func nextKey(_ entity: EntityLayout) throws -> Int64 {
    if let own = inserted[entity.rootNumber] { return own.first + Int64(own.places.count) }
    return try store.maximum(ofEntity: entity.rootNumber) + 1
  }

  private func check(_ value: Value, _ attribute: Int, _ entity: EntityLayout, key: Int64? = nil) throws {
    let isRefused: Bool
    if case .null = value {
      isRefused = !entity.entity.attributes[attribute].isOptional
    } else {
      isRefused = !entity.entity.attributes[attribute].type.accepts(value)
    }
    guard isRefused else { return }
    let name = entity.entity.attributes[attribute].name
    throw StoreError.invalidValue(
      "\(entity.entity.name).\(name) \(value.isNull ? "needs a value" : "takes no such value")",
      StoreError.Subject(entity.entity, [name], key: key))
  }

  /// The statement that inserts a row of the entity. Found once for many rows of one entity: looking a long text up
  /// takes a good part of an insert's time.
  private func insertion(_ entity: EntityLayout) throws -> Statement {
    if let lastInsertion, lastInsertion.entity == entity.number { return lastInsertion.statement }
    let statement = try connection.statement(entity.insertion.sql)
    lastInsertion = (entity.number, statement)
    return statement
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
