// SPDX-License-Identifier: MIT

internal import SQLite

/// Rows of an ordinary database that are not rows of an entity.
extension PersistentStore {
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
    try Self.translating(path) {
      try (database?.omitted ?? []).filter(\.holdsRecords).compactMap { table in
        do {
          let count = try connection.integer("SELECT count(*) FROM main.\(quoted(table.name))") ?? 0
          return UnreadTable(name: table.name, reason: table.reason, isChosen: table.isChosen, rows: Int(count))
        } catch let error as SQLiteError where error.lacksDefinition {
          return nil
        }
      }
    }
  }

  /// The number of rows in the table of an entity that have no key, and the SQL statement that lists them; nil if every
  /// row has a key.
  package func unkeyedRows(of entity: EntityLayout) throws -> (count: Int, statement: String)? {
    guard let table = database?.sources[entity.entity.name]?.table, let statement = table.listOfUnkeyedRows else {
      return nil
    }
    return try Self.translating(path) { (try table.unkeyedRows(connection), statement) }
  }

  /// Whether a transaction after `number` changed a row of `entity` itself.
  package func hasChanges(of entity: EntityLayout, after number: Int64) throws -> Bool {
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZENTITY = ?2 LIMIT 1")
      defer { statement.reset() }
      try statement.bind(number, at: 1)
      try statement.bind(Int64(entity.number), at: 2)
      return try statement.step()
    }
  }
}
