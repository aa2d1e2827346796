internal import SQLite

/// What `followspot attach` has put into a database: the change log and, for each table, its triggers.
struct Attachment {
  struct Table {
    let number: Int
    let name: String
    /// The columns whose values a deletion leaves in the log.
    let preserved: [String]
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
      let triggers = ChangeTriggers(
        table: found, number: table.number, preserved: table.preserved,
        uniqueIndexes: try UniqueIndexes.of(found, connection).columns)
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

  static func of(_ table: DatabaseTable, _ connection: Connection) throws -> UniqueIndexes {
    var columns: [[(column: String, collation: String)]] = []
    var onExpressions: String?
    let indexes = try connection.cursor("SELECT name FROM pragma_index_list(?1, 'main') WHERE \"unique\" ORDER BY name")
    try indexes.bind(table.name, at: 1)
    while try indexes.step() {
      let parts = try connection.cursor(
        "SELECT cid, name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno")
      try parts.bind(indexes.text(at: 0), at: 1)
      var index: [(column: String, collation: String)] = []
      while try parts.step() {
        // -2 is an expression, -1 the rowid.
        if parts.integer(at: 0) >= 0 { index.append((parts.text(at: 1), quoted(parts.text(at: 2)))) }
      }
      if index.isEmpty {
        onExpressions = indexes.text(at: 0)
      } else if index.map({ quoted($0.column) }) != [table.key ?? ""] {
        columns.append(index)
      }
    }
    return UniqueIndexes(columns: columns, onExpressions: onExpressions)
  }
}
