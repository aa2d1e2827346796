// SPDX-License-Identifier: MIT

package import SQLite

extension PersistentStore {
  /// Rows of `entity`, without its subentities, whose keys are in `keys`, in ascending order.
  ///
  /// - Parameter attributes: Indexes of the attributes to read, in the order of the row's columns.
  package func rows(
    of entity: EntityLayout, attributes: [Int], keys: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws -> RowCursor {
    try Self.translating(path) {
      let statement = try connection.cursor(
        select(entity, attributes) + " WHERE Z_PK BETWEEN ?1 AND ?2\(entity.entityCondition) ORDER BY Z_PK",
        [.integer(keys.lowerBound), .integer(keys.upperBound)])
      return RowCursor(statement: statement, path: path, attributes: attributes)
    }
  }

  /// Calls `body` with the row of `entity` itself that has this key; nil if there is none.
  package func withRow<Result>(
    of entity: EntityLayout, key: Int64, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    try Self.translating(path) {
      let statement = try connection.statement(textForRow(of: entity, attributes))
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try body(try statement.step() ? Row(statement: statement) : nil)
    }
  }

  /// Many rows are read one by one with the same text.
  private func textForRow(of entity: EntityLayout, _ attributes: [Int]) -> String {
    if let rowText, rowText.entity === entity, rowText.attributes == attributes { return rowText.text }
    let text = select(entity, attributes) + " WHERE Z_PK = ?1\(entity.entityCondition)"
    rowText = (entity, attributes, text)
    return text
  }

  /// All attributes of one row by attribute index; nil if there is no such row.
  package func values(of entity: EntityLayout, key: Int64) throws -> [Value]? {
    let attributes = Array(entity.entity.attributes.indices)
    let stored = try withRow(of: entity, key: key, attributes: attributes) { row in
      row.map { row in attributes.map(row.value) }
    }
    guard var values = stored else { return nil }
    try fetchContents(of: &values, entity)
    return values
  }

  /// The key of a row whose table has no integer key, as bytes for `findKeys(_:)`; nil for other rows.
  package func keyBytes(of entity: EntityLayout, key: Int64) throws -> [UInt8]? {
    guard let tables else { return nil }
    return try Self.translating(path) { try tables.keyBytes(of: entity, key: key) }
  }

  /// Has keys that are not integers found by what an index keeps, instead of by reading all keys of their tables.
  ///
  /// - Parameter kept: Gives the bytes of a row's key; nil where they are not known.
  package func findKeys(_ kept: @escaping (_ entity: String, _ key: Int64) -> [UInt8]?) {
    naming?.keptKey = kept
  }

  package func exists(_ entity: EntityLayout, key: Int64) throws -> Bool {
    try withRow(of: entity, key: key, attributes: []) { $0 != nil }
  }

  package func count(of entity: EntityLayout) throws -> Int {
    try Self.translating(path) {
      let source = tables?.source(of: entity) ?? "\(entity.quotedTable) WHERE 1\(entity.entityCondition)"
      return Int(try connection.integer("SELECT COUNT(*) FROM \(source)") ?? 0)
    }
  }

  /// The lowest and the highest key of an entity's rows; nil if it has no rows.
  package func keyRange(of entity: EntityLayout) throws -> ClosedRange<Int64>? {
    try Self.translating(path) {
      let rows = "SELECT Z_PK FROM \(entity.quotedTable) WHERE 1\(entity.entityCondition) ORDER BY Z_PK"
      let range = try connection.firstRow("SELECT (\(rows) LIMIT 1), (\(rows) DESC LIMIT 1)") {
        $0.isNull(at: 0) ? nil : $0.integer(at: 0)...$0.integer(at: 1)
      }
      return range ?? nil
    }
  }

  /// Calls `body` with the first row of `entity` itself whose key is `key` or higher; nil if there is none.
  package func withFirstRow<Result>(
    of entity: EntityLayout, atOrAfter key: Int64, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    try Self.translating(path) {
      let statement = try connection.statement(
        select(entity, attributes) + " WHERE Z_PK >= ?1\(entity.entityCondition) ORDER BY Z_PK LIMIT 1")
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try body(try statement.step() ? Row(statement: statement) : nil)
    }
  }

  /// At most `limit` keys of rows of `entity` itself that have a value in any of the attributes.
  package func keys(of entity: EntityLayout, withValueIn attributes: [Int], limit: Int) throws -> [Int64] {
    guard !attributes.isEmpty else { return [] }
    return try Self.translating(path) {
      let conditions = attributes.map { "\(entity.quotedColumn($0)) IS NOT NULL" }.joined(separator: " OR ")
      return try connection.mapRows(
        "SELECT Z_PK FROM \(entity.quotedTable) WHERE (\(conditions))\(entity.entityCondition) LIMIT ?1",
        [.integer(Int64(limit))]
      ) { $0.integer(at: 0) }
    }
  }

  /// The number of rows of all entities.
  func count() throws -> Int { try layout.entities.reduce(0) { $0 + (try count(of: $1)) } }

  /// The row, of the entity or a subentity, whose `attribute` equals `value`; the first one by key.
  package func row(of entity: EntityLayout, where attribute: Int, equals value: Value) throws -> RowIdentifier? {
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT Z_PK, Z_ENT FROM \(entity.quotedTable) WHERE \(entity.quotedColumn(attribute)) = ?1 ORDER BY Z_PK")
      defer { statement.reset() }
      try statement.bind(value, at: 1)
      while try statement.step() {
        let row = RowIdentifier(entity: Int(statement.integer(at: 1)), key: statement.integer(at: 0))
        if layout.entity(number: row.entity).map(entity.includes) ?? false { return row }
      }
      return nil
    }
  }

  /// The entity of the row with this key: `entity` or one of its subentities; nil if there is no such row.
  package func concreteEntity(of entity: EntityLayout, key: Int64) throws -> EntityLayout? {
    guard entity.hasSubentities else { return try exists(entity, key: key) ? entity : nil }
    return try Self.translating(path) {
      let number = try connection.integer("SELECT Z_ENT FROM \(entity.quotedTable) WHERE Z_PK = ?1", [.integer(key)])
      guard let number, let found = layout.entity(number: Int(number)) else { return nil }
      return entity.includes(found) ? found : nil
    }
  }

  private func select(_ entity: EntityLayout, _ attributes: [Int]) -> String {
    var columns = ["Z_PK"] + attributes.map(entity.quotedColumn)
    if let check = tables?.checkColumn(of: entity) { columns.append(check) }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(entity.quotedTable)"
  }
}
