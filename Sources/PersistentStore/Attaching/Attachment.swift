internal import SQLite

/// What `followspot attach` has put into a database: the change log and, for each table, its triggers.
struct Attachment {
  struct Table {
    let number: Int
    let name: String
    /// The columns whose values a deletion leaves in the log.
    let preserved: [String]
  }

  /// The tables of an attachment itself.
  static let tableNames = [
    "followspot_store", "followspot_table", "followspot_author", "followspot_writer", "followspot_change",
  ]

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
      SELECT f.number, coalesce(m.tbl_name, f.name), f.preserved FROM main.followspot_table f
      LEFT JOIN main.sqlite_master m ON m.type = 'trigger' AND m.name = 'followspot_' || f.number || '_insert'
      ORDER BY f.number
      """)
    while try list.step() {
      tables.append(
        Table(
          number: Int(list.integer(at: 0)), name: list.text(at: 1),
          preserved: list.text(at: 2).split(separator: "\u{1f}").map(String.init)))
    }
    fault = try findFault(connection)
  }

  private func findFault(_ connection: Connection) throws -> String? {
    let known = try DatabaseTable.all(connection).tables
    for table in tables {
      guard let found = known.first(where: { $0.name.lowercased() == table.name.lowercased() }) else {
        return "the table \(table.name) is gone"
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

/// The unique indexes of a table besides its key.
struct UniqueIndexes {
  let columns: [[(column: String, collation: String)]]
  /// The name of an index on expressions alone, which triggers cannot compare.
  let onExpressions: String?
  /// Whether a row may enter an index though none of the columns above changes: the index is partial, or has an expression
  /// too.
  let dependOnMore: Bool

  static func of(_ table: DatabaseTable, _ connection: Connection) throws -> UniqueIndexes {
    var columns: [[(column: String, collation: String)]] = []
    var onExpressions: String?
    var dependOnMore = false
    let indexes = try connection.cursor(
      "SELECT name, partial FROM pragma_index_list(?1, 'main') WHERE \"unique\" ORDER BY name")
    try indexes.bind(table.name, at: 1)
    while try indexes.step() {
      let parts = try connection.cursor(
        "SELECT cid, name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno")
      try parts.bind(indexes.text(at: 0), at: 1)
      var index: [(column: String, collation: String)] = []
      while try parts.step() {
        // -2 is an expression, -1 the rowid.
        if parts.integer(at: 0) == -2 { dependOnMore = true }
        if parts.integer(at: 0) >= 0 { index.append((parts.text(at: 1), quoted(parts.text(at: 2)))) }
      }
      if indexes.integer(at: 1) == 1 { dependOnMore = true }
      if index.isEmpty {
        onExpressions = indexes.text(at: 0)
      } else if index.map({ quoted($0.column) }) != [table.key ?? ""] {
        columns.append(index)
      }
    }
    return UniqueIndexes(columns: columns, onExpressions: onExpressions, dependOnMore: dependOnMore)
  }
}
