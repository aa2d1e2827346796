internal import SQLite

/// What `followspot attach` has put into a database: the change log and, for each table, its triggers.
struct Attachment {
  struct Table {
    let number: Int
    let name: String
    /// The columns that identify a row; empty where an integer of the row does.
    let key: [String]
    /// The columns whose values a deletion leaves in the log.
    let preserved: [String]
  }

  /// The tables of an attachment itself.
  static let tableNames = [
    "followspot_store", "followspot_table", "followspot_author", "followspot_writer", "followspot_change",
  ]

  /// Whether a table belongs to an attachment.
  ///
  /// - Parameter name: In small letters.
  static func isOwn(_ name: String) -> Bool { tableNames.contains(name) || isKeyTable(name) }

  static func isKeyTable(_ name: String) -> Bool {
    let number = name.dropFirst("followspot_key_".count)
    return name.hasPrefix("followspot_key_") && !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
  }

  let uuid: String
  private(set) var tables: [Table] = []
  /// How many columns for preserved values the log has.
  let preservedColumns: Int
  /// Why changes of some table are not logged; nil where all are.
  private(set) var fault: String?

  /// The attachment of a database; nil where there is none. Call it inside a snapshot.
  init?(_ connection: Connection) throws {
    guard try connection.hasTable("followspot_change"), try connection.hasTable("followspot_table"),
      try connection.hasTable("followspot_store")
    else { return nil }
    let store = try connection.cursor("SELECT uuid FROM main.followspot_store")
    guard try store.step() else { return nil }
    uuid = store.text(at: 0)
    preservedColumns = Int(
      try connection.integer("SELECT count(*) FROM pragma_table_info('followspot_change') WHERE name GLOB 'value*'")
        ?? 0)
    // A renamed table keeps its triggers.
    let list = try connection.cursor(
      """
      SELECT f.number, coalesce(m.tbl_name, f.name), f.key, f.preserved FROM main.followspot_table f
      LEFT JOIN main.sqlite_master m ON m.type = 'trigger' AND m.name = 'followspot_' || f.number || '_insert'
      ORDER BY f.number
      """)
    while try list.step() {
      tables.append(
        Table(
          number: Int(list.integer(at: 0)), name: list.text(at: 1), key: Self.names(list.text(at: 2)),
          preserved: Self.names(list.text(at: 3))))
    }
    fault = try findFault(connection)
  }

  /// Names of columns as one text, and back.
  static func text(_ names: [String]) -> String { names.joined(separator: "\u{1f}") }
  private static func names(_ text: String) -> [String] { text.split(separator: "\u{1f}").map(String.init) }

  private func findFault(_ connection: Connection) throws -> String? {
    let known = try DatabaseTable.all(connection).tables
    for table in tables {
      guard var found = known.first(where: { $0.name.lowercased() == table.name.lowercased() }) else {
        return "the table \(table.name) is gone"
      }
      guard try found.identify(by: table.key, number: table.number, connection) else {
        return "the key of the table \(table.name) is no longer unique"
      }
      if let keys = found.keyTable, try !connection.hasTable(keys.name) {
        return "the numbers of the keys of the table \(table.name) are gone"
      }
      let unique = try UniqueIndexes.of(found, connection)
      if let index = unique.onExpressions {
        return "the table \(table.name) has the unique index \(index) on expressions, which triggers cannot compare"
      }
      guard table.preserved.allSatisfy({ found.column(named: $0) != nil }) else {
        return "columns of the table \(table.name) whose values were to be preserved are gone"
      }
      let triggers = ChangeTriggers(
        table: found, number: table.number, preserved: table.preserved, uniqueIndexes: unique)
      for (name, sql) in triggers.statements {
        let statement = try connection.statement(
          "SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND name = ?1")
        defer { statement.reset() }
        try statement.bind(name, at: 1)
        guard try statement.step() else { return "triggers of the table \(table.name) are missing" }
        guard Self.isSame(statement.text(at: 0), sql) else {
          return "triggers of the table \(table.name) are out of date"
        }
      }
    }
    return nil
  }

  /// SQLite rewrites the text of a trigger when a table or column is renamed: quotes may differ.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one == other || one.filter { $0 != "\"" } == other.filter { $0 != "\"" }
  }
}
