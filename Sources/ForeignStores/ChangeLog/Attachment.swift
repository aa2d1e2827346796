// SPDX-License-Identifier: MIT

internal import SQLite

/// The objects that `followspot attach` created in a database: the change log and, for each table, its triggers.
package struct Attachment {
  struct Table: Equatable {
    let number: Int
    let name: String
    /// The columns that identify a row; empty if an integer column does.
    let key: [String]
    /// The columns whose values the log keeps after a deletion.
    let preserved: [String]
  }

  /// The name of the column of `followspot_store` that is 1 if `attach` chose the tables. Earlier versions did not keep
  /// it.
  static let choiceColumn = "isChoice"

  let uuid: String
  private(set) var tables: [Table] = []
  /// The positions of tables by their names, as SQLite compares them.
  private(set) var positions: [[UInt8]: Int] = [:]
  /// The number of the log's columns for preserved values.
  let preservedColumns: Int
  /// The number of the log's columns for the values that name a row.
  let keyColumns: Int
  /// Whether tables that are not attached were left out on purpose; nil if that is not known.
  let isChoice: Bool?
  /// The reason why changes of some table are not logged.
  struct Fault {
    /// A clause without a full stop.
    let reason: String
    /// Whether renewing the triggers is enough.
    let isRenewable: Bool
  }

  /// Set if some changes are not logged.
  private(set) var fault: Fault?

  /// Reads the attachment of a database; nil if there is none. Call it inside a snapshot.
  ///
  /// - Parameter known: The tables of the database.
  init?(_ connection: Connection, _ known: [DatabaseTable]) throws {
    guard try LogTables.exist(connection) else { return nil }
    let store = try connection.cursor("SELECT * FROM main.followspot_store")
    guard try store.step() else { return nil }
    uuid = store.text(at: 0)
    let choice = (0..<Int32(store.columnCount)).first { store.columnName(at: $0) == Self.choiceColumn }
    isChoice = choice.flatMap { store.isNull(at: $0) ? nil : store.integer(at: $0) == 1 }
    preservedColumns = try Self.columns("value", connection)
    keyColumns = try Self.columns("key", connection)
    let triggers = try Self.triggers(connection)
    let list = try connection.cursor("SELECT number, name, key, preserved FROM main.followspot_table ORDER BY number")
    while try list.step() {
      let number = Int(list.integer(at: 0))
      // A renamed table keeps its triggers, so they give its current name.
      let name = triggers["followspot_\(number)_insert"]?.table ?? list.text(at: 1)
      positions[name.sqlName] = tables.count
      tables.append(
        Table(
          number: number, name: name, key: Self.decodedNames(list.text(at: 2)),
          preserved: Self.decodedNames(list.text(at: 3))))
    }
    fault = findFault(known, triggers)
  }

  func table(named name: String) -> Table? { positions[name.sqlName].map { tables[$0] } }

  /// The number of the log's columns with a prefix.
  private static func columns(_ prefix: String, _ connection: Connection) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM pragma_table_info('followspot_change') WHERE name GLOB '\(prefix)[0-9]*'") ?? 0)
  }

  /// The triggers of the attachment by name.
  private static func triggers(_ connection: Connection) throws -> [String: (table: String, sql: String)] {
    let rows = try connection.cursor(
      "SELECT name, tbl_name, sql FROM main.sqlite_master WHERE type = 'trigger' AND name GLOB 'followspot_[0-9]*'")
    var triggers: [String: (table: String, sql: String)] = [:]
    while try rows.step() { triggers[rows.text(at: 0)] = (rows.text(at: 1), rows.text(at: 2)) }
    return triggers
  }

  /// Encodes column names as one text, and decodes them.
  static func encoded(_ names: [String]) -> String { names.joined(separator: "\u{1f}") }
  private static func decodedNames(_ text: String) -> [String] { text.split(separator: "\u{1f}").map(String.init) }

  private func findFault(_ known: [DatabaseTable], _ triggers: [String: (table: String, sql: String)]) -> Fault? {
    let found = Dictionary(known.map { ($0.name.sqlName, $0) }) { first, _ in first }
    for table in tables {
      guard let found = found[table.name.sqlName] else {
        return Fault(reason: "the table \(table.name) is gone", isRenewable: false)
      }
      if let fault = fault(of: table, found, triggers) { return fault }
    }
    if isChoice == false, let new = known.first(where: { $0.isLoggable && table(named: $0.name) == nil }) {
      return Fault(reason: "triggers of the new table \(new.name) are missing", isRenewable: true)
    }
    return nil
  }

  private func fault(
    of table: Table, _ found: DatabaseTable, _ triggers: [String: (table: String, sql: String)]
  ) -> Fault? {
    var found = found
    guard found.identify(by: table.key) else {
      return Fault(reason: "the key of the table \(table.name) is no longer unique", isRenewable: false)
    }
    let unique = UniqueIndexes(of: found)
    if let index = unique.onExpressions {
      return Fault(
        reason: "the table \(table.name) has the unique index \(index) on expressions, which triggers cannot compare",
        isRenewable: false)
    }
    guard table.preserved.allSatisfy({ found.column(named: $0) != nil }) else {
      return Fault(
        reason: "columns of the table \(table.name) whose values were to be preserved are gone", isRenewable: true)
    }
    let expected = ChangeTriggers(
      table: found, number: table.number, preserved: table.preserved, uniqueIndexes: unique)
    for (name, sql) in expected.statements {
      guard let trigger = triggers[name] else {
        return Fault(reason: "triggers of the table \(table.name) are missing", isRenewable: true)
      }
      guard Self.isSame(trigger.sql, sql) else {
        return Fault(reason: "triggers of the table \(table.name) are out of date", isRenewable: true)
      }
    }
    return nil
  }

  /// SQLite rewrites the text of a trigger when a table or column is renamed, so quotes may differ.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one == other || one.filter { $0 != "\"" } == other.filter { $0 != "\"" }
  }
}

extension DatabaseTable {
  /// Whether triggers can log every change of its rows.
  var isLoggable: Bool { !isVirtual && UniqueIndexes(of: self).onExpressions == nil }
}
