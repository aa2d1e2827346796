// SPDX-License-Identifier: MIT

import SQLite
import TestSupport

/// A random database: tables with keys of all kinds, columns of all declared types, and statements that put values of
/// all storage classes into them and create further tables.
struct RandomSchema {
  static let words = ["ant", "bee", "cow", "dog", "elk", "urn"]

  struct Table {
    let name: String
    /// All columns with values of their own, without a rowid.
    let columns: [String]
    /// A condition: the row has a key.
    let hasKey: String
    /// The columns of the key; empty for the rowid.
    let key: [String]
    let isIntegerKey: Bool
  }

  private(set) var tables: [Table] = []
  private var random: SeededGenerator
  private let connection: Connection

  init(seed: Int, _ connection: Connection) throws {
    random = SeededGenerator(seed: seed)
    self.connection = connection
    for _ in 0..<Int.random(in: 1...4, using: &random) { try createTable() }
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element { choices.randomElement(using: &random)! }
  private mutating func word() -> String { "'\(pick(Self.words))'" }
  private mutating func integer() -> String {
    pick(["-9223372036854775808", "9223372036854775807", "0", "\(Int.random(in: -20...20, using: &random))"])
  }

  /// A value of any storage class.
  private mutating func value() -> String {
    pick([word(), word(), integer(), "2.5", "x'00ff'", "NULL", "''", "'2024-02-03'", "'{\"a\": 1}'"])
  }

  private mutating func keyValue(_ isInteger: Bool) -> String {
    isInteger
      ? integer() : pick([word(), word(), "'k\(Int.random(in: 0...99, using: &random))'", integer(), "1.0", "''"])
  }

  mutating func createTable() throws {
    let name = "t\(tables.count)"
    let types = ["TEXT", "INTEGER", "BLOB", "", "REAL", "DATE", "BOOLEAN", "VARCHAR(20)"]
    let values = (0..<Int.random(in: 1...3, using: &random)).map { ("c\($0)", pick(types)) }
    let columns = values.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let names = values.map(\.0)
    let collation = pick(["", " COLLATE NOCASE", " COLLATE RTRIM"])
    let kinds: [(sql: String, table: Table)] = [
      (
        "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, \(columns))",
        Table(name: name, columns: names, hasKey: "1", key: ["id"], isIntegerKey: true)
      ),
      (
        "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, \(columns)) WITHOUT ROWID",
        Table(name: name, columns: names, hasKey: "typeof(id) = 'integer'", key: ["id"], isIntegerKey: true)
      ),
      (
        "CREATE TABLE \(name) (\(columns))",
        Table(name: name, columns: names, hasKey: "1", key: [], isIntegerKey: true)
      ),
      (
        "CREATE TABLE \(name) (k TEXT PRIMARY KEY\(collation), \(columns)) WITHOUT ROWID",
        Table(name: name, columns: ["k"] + names, hasKey: "1", key: ["k"], isIntegerKey: false)
      ),
      (
        "CREATE TABLE \(name) (a, b\(collation), \(columns), PRIMARY KEY (b, a)) WITHOUT ROWID",
        Table(name: name, columns: ["a", "b"] + names, hasKey: "1", key: ["a", "b"], isIntegerKey: false)
      ),
      (
        "CREATE TABLE \(name) (k TEXT PRIMARY KEY\(collation), \(columns))",
        Table(name: name, columns: ["k"] + names, hasKey: "1", key: ["k"], isIntegerKey: false)
      ),
      (
        "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, \(columns), g AS (c0 || ' gnu'))",
        Table(name: name, columns: names, hasKey: "1", key: ["id"], isIntegerKey: true)
      ),
    ]
    let (sql, table) = pick(kinds)
    try connection.execute(sql)
    tables.append(table)
    // The first values of a column have one storage class.
    let first = names.map { _ in value() }
    for _ in 0..<Int.random(in: 0...3, using: &random) { insert(into: table, first) }
  }

  private mutating func insert(into table: Table, _ values: [String]) {
    let key = table.key.isEmpty ? ["rowid"] : table.key
    let names = key + table.columns.filter { !table.key.contains($0) }
    let all = key.map { _ in keyValue(table.isIntegerKey) } + values
    try? connection.execute(
      "\(pick(["INSERT", "REPLACE"])) INTO \(table.name) (\(names.joined(separator: ", "))) "
        + "VALUES (\(all.joined(separator: ", ")))")
  }

  /// Runs a random statement. Some fail, as they would in any program.
  mutating func step() throws {
    let table = pick(tables)
    let own = table.columns.filter { !table.key.contains($0) }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: try createTable()
    case 1...6: insert(into: table, own.map { _ in value() })
    case 7, 8:
      try? connection.execute("UPDATE \(table.name) SET \(pick(own)) = \(value()) WHERE \(pick(own)) IS \(value())")
    case 9:
      let key = pick(table.key.isEmpty ? ["rowid"] : table.key)
      try? connection.execute(
        "UPDATE OR REPLACE \(table.name) SET \(key) = \(keyValue(table.isIntegerKey)) "
          + "WHERE \(key) = \(keyValue(table.isIntegerKey))")
    default: try? connection.execute("DELETE FROM \(table.name) WHERE \(pick(table.columns)) IS \(value())")
    }
  }

  /// The number of rows of each table that have a word in a column, or of all rows, as plain SQL counts them.
  func counts(_ word: String?) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in tables {
      let condition = word.map { word in
        "("
          + table.columns.map { "(typeof(\($0)) = 'text' AND \($0) = '\(word)' COLLATE NOCASE)" }
          .joined(separator: " OR ") + ")"
      }
      let sql = "SELECT count(*) FROM \(table.name) WHERE \(table.hasKey)" + (condition.map { " AND \($0)" } ?? "")
      let count = try connection.integer(sql) ?? 0
      if count > 0 { counts[table.name] = Int(count) }
    }
    return counts
  }
}
