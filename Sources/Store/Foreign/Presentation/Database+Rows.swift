// SPDX-License-Identifier: MIT

internal import SQLite

extension Database {
  /// Whether `eachRowDigest` comes to the rows of an entity in the order of their keys: these are integers.
  package func ordersDigests(of entity: EntityLayout) -> Bool { keyNumbers[entity.entity.name] == nil }

  /// Calls `body` with the key and a 64-bit digest of each row. Rows with an integer key come in its order.
  ///
  /// - Parameter body: Returns whether the row will be read by its key soon.
  package func eachRowDigest(of entity: EntityLayout, _ body: (Int64, UInt64) throws -> Bool) throws {
    guard let table = table(of: entity) else { return }
    let numbers = keyNumbers[entity.entity.name]
    let key = numbers?.sql.columns.map { "t." + quoted($0.name) } ?? [table.key]
    // The number stands for a key whose values are compared exactly.
    let known = Set(numbers?.sql.columns.filter(\.comparesExactly).map(\.name.sqlName) ?? [])
    let columns = table.columns.filter { !known.contains($0.name.sqlName) }.map { "t." + quoted($0.name) }
    try PersistentStore.translating(connection.path) {
      let statement = try connection.statement(
        "SELECT \((key + columns).joined(separator: ", ")) FROM \(source(of: entity))"
          + (numbers == nil ? " ORDER BY \(table.key)" : ""))
      defer { statement.reset() }
      var bytes = RowBytes()
      while try statement.step() {
        let number = numbers?.number(ofKey: statement, using: &bytes) ?? statement.integer(at: 0)
        bytes.removeAll()
        for column in key.count..<(key.count + columns.count) { bytes.append(statement, Int32(column)) }
        if try body(number, bytes.digest) { numbers?.remember(number, keyOf: statement) }
      }
    }
  }

  // MARK: Rows that are not rows of an entity

  /// A table that is not an entity, although its rows are records.
  package struct UnreadTable: Sendable {
    package let name: String
    /// A clause without a full stop.
    package let reason: String
    /// Whether the user attached other tables only.
    package let isChosen: Bool
    package let rows: Int
  }

  /// The tables that are not entities, with the numbers of their rows. Views, indexes of other tables and tables of the
  /// system are not among them, nor tables whose rows only their own program can read. Reads a part of each table.
  package func unreadTables() throws -> [UnreadTable] {
    try PersistentStore.translating(connection.path) {
      try schema.omitted.filter(\.holdsRecords).compactMap { table in
        do {
          let count = try connection.integer("SELECT count(*) FROM main.\(quoted(table.name))") ?? 0
          return UnreadTable(name: table.name, reason: table.reason, isChosen: table.isChosen, rows: Int(count))
        } catch let error as SQLiteError where error.lacksDefinition {
          return nil
        }
      }
    }
  }

  /// The tables whose definitions this version of SQLite cannot read: the entities that they are otherwise, and sentences
  /// without a full stop.
  package var unreadDefinitions: [(entity: String, sentence: String)] {
    schema.omitted.filter { $0.isUnread && $0.kind == .table }.map { table in
      var names = UniqueNames()
      return (names.entityName(for: table.name), table.sentence)
    }
  }

  /// The number of rows in the table of an entity that have no key, and the SQL statement that lists them; nil if every
  /// row has a key.
  package func unkeyedRows(of entity: EntityLayout) throws -> (count: Int, statement: String)? {
    guard let table = table(of: entity), let statement = table.listOfUnkeyedRows else { return nil }
    return try PersistentStore.translating(connection.path) { (try table.unkeyedRows(connection), statement) }
  }
}
