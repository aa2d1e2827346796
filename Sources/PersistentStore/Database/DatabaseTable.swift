internal import SQLite

/// A table of an ordinary SQLite database, as its schema declares it.
struct DatabaseTable {
  struct Column {
    let name: String
    /// The type as written in `CREATE TABLE`; empty if none is declared.
    let declaredType: String
    let isNotNull: Bool
    let isGenerated: Bool
    /// The default as an SQL expression; nil if there is none.
    let defaultValue: String?
    /// The position in the primary key, from 1; 0 for a column outside of the primary key.
    let primaryKeyIndex: Int

    /// Column affinity. Source: "Datatypes In SQLite", section 3.1.
    var isInteger: Bool { declaredType.uppercased().contains("INT") }
  }

  /// A column that refers to a row of another table.
  struct Reference {
    let column: String
    let table: String
    /// The column of the other table; nil for its primary key.
    let target: String?
  }

  let name: String
  let hasRowid: Bool
  /// Whether the primary key has an index of its own and therefore is not the rowid.
  let hasPrimaryKeyIndex: Bool
  let columns: [Column]
  let references: [Reference]

  var quotedName: String { "main." + quoted(name) }

  /// The column of the primary key; nil if the key has several columns or does not exist.
  var primaryKey: Column? {
    let key = columns.filter { $0.primaryKeyIndex > 0 }
    return key.count == 1 ? key[0] : nil
  }

  /// The column that is an alias of the rowid (INTEGER PRIMARY KEY).
  var rowidAlias: Column? {
    guard hasRowid, !hasPrimaryKeyIndex, let key = primaryKey, key.declaredType.uppercased() == "INTEGER" else {
      return nil
    }
    return key
  }

  /// The key of the rows; nil if nothing identifies a row.
  var rowKey: RowKey?
  /// The table that assigns numbers to keys that are not integers.
  var keyTable: KeyTable?

  /// The FROM clause that selects all rows with a key; the table has the alias `t`.
  var rows: String { rows("t", key: "k") }

  /// The SQL expression of a row's key in `rows`; empty for a table without keys.
  var key: String { key("t", key: "k") }

  /// The same FROM clause with other aliases, for joins.
  func rows(_ alias: String, key keyAlias: String) -> String {
    guard let keyTable else { return "\(quotedName) \(alias)" }
    return "\(keyTable.qualifiedName) \(keyAlias) JOIN \(quotedName) \(alias) "
      + "ON \(keyTable.matches(alias, key: keyAlias))"
  }

  func key(_ alias: String, key keyAlias: String) -> String {
    if keyTable != nil { return keyAlias + ".id" }
    guard case .integer(let name)? = rowKey else { return "" }
    return "\(alias).\(name)"
  }

  /// A WHERE clause if not every row has a key: a table without a rowid may hold other values in an integer column.
  var keyCondition: String { hasRowid || keyTable != nil ? "" : " WHERE typeof(\(key)) = 'integer'" }

  /// ORDER BY terms in the order of the table's key.
  func order(isDescending: Bool) -> String {
    let names =
      switch rowKey {
      case .integer(let name)?: [name]
      case .columns(let columns)?: columns.map { "\(quoted($0.name)) COLLATE \($0.collation)" }
      case nil: ["1"]
      }
    return names.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", ")
  }

  /// The quoted name of the integer column by which the schema alone identifies a row; nil if there is none.
  var integerKey: String? {
    guard hasRowid else {
      return primaryKey.flatMap { $0.isInteger ? quoted($0.name) : nil }
    }
    if let rowidAlias { return quoted(rowidAlias.name) }
    let taken = Set(columns.map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }

  func column(named name: String) -> Column? { columns.first { $0.name.sqlName == name.sqlName } }
}

extension DatabaseTable {
  /// A table or view that is not searched, with the reason.
  struct Omission {
    let name: String
    let reason: String
  }

  /// All tables of the main database, ordered by name. Call it inside a snapshot.
  static func all(_ connection: Connection) throws -> (tables: [DatabaseTable], omitted: [Omission]) {
    var tables: [DatabaseTable] = []
    var omitted: [Omission] = []
    let isAttached = try Attachment.exists(connection)
    let list = try connection.cursor(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name")
    while try list.step() {
      let (name, type, isWithoutRowid) = (list.text(at: 0), list.text(at: 1), list.integer(at: 2) == 1)
      // SQL text ends at a NUL, so such names cannot be used.
      guard !name.lowercased().hasPrefix("sqlite_"), !(isAttached && Attachment.isOwn(name.lowercased())),
        !name.utf8.contains(0)
      else { continue }
      switch type {
      case "view": omitted.append(Omission(name: name, reason: "it is a view; its tables are searched"))
      case "virtual": omitted.append(Omission(name: name, reason: "it is a virtual table, such as a full-text index"))
      case "table" where isHousekeeping(name):
        omitted.append(Omission(name: name, reason: "it belongs to migrations or to the system"))
      case "table":
        var table = DatabaseTable(
          name: name, hasRowid: !isWithoutRowid,
          hasPrimaryKeyIndex: try hasPrimaryKeyIndex(name, connection), columns: try columns(of: name, connection),
          references: try references(of: name, connection))
        table.rowKey =
          try table.integerKey.map { .integer($0) }
          ?? UniqueIndexes.primaryKey(of: table, connection).map { .columns($0) }
        if table.columns.count > mostColumns {
          omitted.append(Omission(name: name, reason: "it has more than \(mostColumns) columns"))
        } else if table.rowKey == nil {
          omitted.append(Omission(name: name, reason: "its rows have no key: all names of the rowid are columns"))
        } else if case .columns(let columns)? = table.rowKey,
          let foreign = columns.first(where: { !$0.hasKnownCollation })
        {
          let reason = "its primary key has the collation \(foreign.collation) of another program"
          omitted.append(Omission(name: name, reason: reason))
        } else {
          tables.append(table)
        }
      default: break
      }
    }
    return (tables, omitted)
  }

  /// SQLite returns at most 2,000 columns, and a sample needs two for each.
  private static let mostColumns = 990

  private static func hasPrimaryKeyIndex(_ table: String, _ connection: Connection) throws -> Bool {
    let statement = try connection.cursor("SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'")
    try statement.bind(table, at: 1)
    return try statement.step()
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [Column] {
    // Hidden columns (1) are those of virtual tables; 2 and 3 are generated columns.
    let statement = try connection.cursor(
      "SELECT name, type, \"notnull\", pk, dflt_value, hidden > 1 FROM pragma_table_xinfo(?1, 'main') WHERE hidden <> 1 ORDER BY cid"
    )
    try statement.bind(table, at: 1)
    var columns: [Column] = []
    while try statement.step() {
      columns.append(
        Column(
          name: statement.text(at: 0), declaredType: statement.text(at: 1), isNotNull: statement.integer(at: 2) == 1,
          isGenerated: statement.integer(at: 5) == 1,
          defaultValue: statement.isNull(at: 4) ? nil : statement.text(at: 4),
          primaryKeyIndex: Int(statement.integer(at: 3))))
    }
    return columns
  }

  /// Foreign keys that consist of one column.
  private static func references(of table: String, _ connection: Connection) throws -> [Reference] {
    let statement = try connection.cursor(
      """
      SELECT "from", "table", "to" FROM pragma_foreign_key_list(?1, 'main')
      GROUP BY id HAVING count(*) = 1 ORDER BY "from", id
      """)
    try statement.bind(table, at: 1)
    var references: [Reference] = []
    while try statement.step() {
      references.append(
        Reference(
          column: statement.text(at: 0), table: statement.text(at: 1),
          target: statement.isNull(at: 2) ? nil : statement.text(at: 2)))
    }
    return references
  }

  /// Whether the table is internal to a framework, such as its list of migrations.
  private static func isHousekeeping(_ name: String) -> Bool {
    let name = name.lowercased()
    return housekeeping.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }

  private static let housekeeping: Set<String> = [
    "alembic_version", "android_metadata", "ar_internal_metadata", "django_admin_log", "django_content_type",
    "django_migrations", "django_session", "grdb_migrations", "knex_migrations", "knex_migrations_lock", "migrations",
    "room_master_table", "schema_migrations", "schema_version", "spatial_ref_sys", "typeorm_metadata",
    "__efmigrationshistory", "_prisma_migrations", "_sqlx_migrations", "__diesel_schema_migrations",
    "__drizzle_migrations", "flyway_schema_history",
  ]
  private static let prefixes = ["_litestream_", "_cf_"]
}
