// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SQLite

extension Attachment {
  /// The steps of attaching a database.
  package struct Plan: Sendable {
    /// The SQL statements in order. They run in one transaction. Empty if the database is attached in this way already.
    package let statements: [String]
    package let tables: [String]
    package let omitted: [(name: String, reason: String)]
    /// Whether an existing attachment is renewed.
    package let isRenewal: Bool
  }

  /// Gives an ordinary SQLite database a history: a change log that triggers write.
  ///
  /// On an attached database, missing and outdated triggers are renewed, if there are any. Earlier tokens then expire,
  /// because changes made meanwhile are not in the log.
  ///
  /// - Parameters:
  ///   - tables: Case-insensitive names; empty for all tables.
  ///   - keys: Columns that identify rows, as `ColumnChoice` reads them. Each needs a unique index of its own.
  ///   - preserved: Columns whose values the log keeps for deleted rows, as `ColumnChoice` reads them.
  ///   - isDryRun: Whether the statements are only returned, not run.
  /// - Throws: `StoreError`.
  package static func attach(
    _ path: String, tables: [String] = [], keys: [String] = [], preserving preserved: [String] = [],
    isDryRun: Bool = false
  ) throws -> Plan {
    try withDatabase(path, access: isDryRun ? .readOnly : .readWrite) { connection in
      let plan = try plan(connection, tables, keys: keys, preserved)
      guard !isDryRun, !plan.statements.isEmpty else { return plan }
      for statement in plan.statements { try connection.execute(statement) }
      try connection.commit()
      return plan
    }
  }

  /// Renews triggers that are missing or no longer match their tables, for example after a table was rebuilt. Changes
  /// made meanwhile are not in the log, so earlier tokens expire.
  ///
  /// - Throws: `StoreError`, among others `.notWritable` and `.busy`.
  package static func renewTriggers(_ path: String, busyMilliseconds: Int32) throws {
    try withDatabase(path, access: .readWrite, busyMilliseconds: busyMilliseconds) { connection in
      let log = try LogTables(connection)
      let tables = try DatabaseTable.all(connection, without: log).tables
      guard let attachment = try Attachment(connection, log, tables), attachment.fault?.isRenewable == true else {
        return
      }
      let chosen = attachment.isChoice == false ? [] : attachment.tables.map(\.name)
      for statement in try plan(connection, chosen, keys: [], [], acceptsUnkeyedRows: true).statements {
        try connection.execute(statement)
      }
      try connection.commit()
    }
  }

  /// Removes everything that `attach` created in a database.
  ///
  /// - Returns: The SQL statements, which a dry run does not run.
  /// - Throws: `StoreError.noHistory` if nothing is attached.
  package static func detach(_ path: String, isDryRun: Bool = false) throws -> [String] {
    try withDatabase(path, access: isDryRun ? .readOnly : .readWrite) { connection in
      let log = try LogTables(connection)
      guard !log.isEmpty else { throw StoreError(.noHistory, "\(path) is not attached", recovery: .attach) }
      let statements = log.dropTriggers + log.allNames.map { "DROP TABLE main.\(quoted($0))" }
      guard !isDryRun else { return statements }
      for statement in statements { try connection.execute(statement) }
      try connection.commit()
      return statements
    }
  }

  /// Runs `body` in a transaction of an ordinary database, which is rolled back unless `body` commits it.
  private static func withDatabase<Result>(
    _ path: String, access: Connection.Access, busyMilliseconds: Int32 = 10_000, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let identity = FileIdentity(path: path) else {
      throw StoreError(.missing, "no database at \(path)", recovery: .chooseDatabase)
    }
    if let kind = identity.otherKind {
      throw StoreError(.notAStore, "\(path) is \(kind)", recovery: .chooseDatabase)
    }
    return try PersistentStore.translating(path) {
      let connection = try Connection(path: path, access: access, busyMilliseconds: busyMilliseconds)
      // To rename a table of the log, SQLite would parse all views and triggers, of which some may be broken.
      try connection.execute("PRAGMA legacy_alter_table = ON")
      do {
        try access == .readWrite ? connection.beginWrite() : connection.beginRead()
      } catch let error as SQLiteError where error.isReadOnly && FileKind.isNewer(path) {
        throw StoreError(
          .notWritable, "\(path) can only be written by a newer version of SQLite",
          recovery: .updateSQLite(Connection.libraryVersion), cause: error)
      }
      defer { connection.rollback() }
      guard try !connection.hasTable("Z_METADATA") else {
        throw StoreError(
          .notWritable, "\(path) is a Core Data store, which keeps its own history", recovery: .indexAsItIs)
      }
      return try body(connection)
    }
  }

  private static func plan(
    _ connection: Connection, _ names: [String], keys: [String], _ preserved: [String],
    acceptsUnkeyedRows: Bool = false
  ) throws -> Plan {
    let path = connection.path
    let log = try LogTables(connection)
    let (all, omitted) = try DatabaseTable.all(connection, without: log)
    let known = try Attachment(connection, log, all)
    var omissions =
      omitted
      + all.filter(\.isVirtual).map {
        DatabaseTable.Omission(name: $0.name, reason: "triggers cannot be put on a virtual table")
      }
    var tables = all.filter { !$0.isVirtual }
    for name in names where !tables.contains(where: { $0.name.sqlName == name.sqlName }) {
      let reason = omissions.first { $0.name.sqlName == name.sqlName }?.reason
      throw StoreError(
        .notAStore, reason.map { "\(name) cannot be attached: \($0)" } ?? "\(path) has no table \(name)",
        recovery: .chooseTable(tables.map(\.name)))
    }
    if !names.isEmpty {
      let wanted = Set(names.map { $0.sqlName })
      omissions += tables.filter { !wanted.contains($0.name.sqlName) }
        .map { DatabaseTable.Omission(name: $0.name, reason: "it was not named") }
      tables = tables.filter { wanted.contains($0.name.sqlName) }
    }
    let preserved = try ColumnChoice(preserved, of: tables, "to preserve")
    let keys = try ColumnChoice(keys, of: tables, "as a key")
    if let name = try takenName(connection, log) {
      throw StoreError(
        .notAStore, "\(path) has a table \(name) of its own, a name that attach needs", recovery: .renameTable)
    }
    let free = try freeNumber(connection, log)
    var statements = log.restoration
    var attached: [Table] = []
    // A gap in the numbers makes earlier tokens expire.
    if known != nil { statements += ["DELETE FROM main.followspot_table", gap] }
    if let known, known.isChoice == nil, !known.uuid.isEmpty {
      statements.append("ALTER TABLE main.followspot_store ADD COLUMN \(choiceColumn) INTEGER")
    }
    if let known, !known.keepsFormer {
      statements.append("ALTER TABLE main.followspot_table ADD COLUMN \(successorColumn) INTEGER")
    }
    statements.append("UPDATE main.followspot_store SET \(choiceColumn) = \(names.isEmpty ? 0 : 1)")
    let end = statements.count
    var (keyWidths, valueWidths): ([Int], [Int]) = ([], [])
    for var table in tables {
      let unique = UniqueIndexes(of: table)
      if let index = unique.onExpressions {
        omissions.append(
          .init(name: table.name, reason: "its unique index \(index) is on expressions or generated columns"))
        continue
      }
      let before = known?.tables.first { $0.name.sqlName == table.name.sqlName }
      let key = try key(of: table, keys, known: before, connection)
      _ = table.identify(by: key)
      if !acceptsUnkeyedRows, before?.key != key { try refuseUnkeyedRows(of: table, connection) }
      if let columns = table.namingColumns { keyWidths.append(columns.count) }
      let kept =
        preserved.isEmpty
        ? (before?.preserved ?? []).compactMap { table.column(named: $0)?.name } : preserved.columns(of: table).sorted()
      let found = before.map { table in
        // Its lines are read by the columns that it had.
        table.key == key && table.preserved == kept
          ? table
          : Table(number: free + attached.count, name: "", key: [], preserved: [], former: table.former + [table])
      }
      let entry = Table(
        number: found?.number ?? free + attached.count, name: table.name, key: key, preserved: kept,
        former: found?.former ?? [])
      let triggers = ChangeTriggers(table: table, number: entry.number, preserved: kept, uniqueIndexes: unique)
      // Those of former lists are read, too.
      keyWidths += entry.former.map(\.key.count)
      valueWidths += (entry.former + [entry]).map(\.preserved.count)
      statements += (entry.former + [entry]).map { entry.insertion(of: $0) }
      statements += triggers.statements.map(\.sql)
      attached.append(entry)
    }
    let widening =
      widening("value", from: known?.preservedColumns, valueWidths)
      + widening("key", from: known?.keyColumns, keyWidths)
    statements.insert(contentsOf: widening, at: end)
    statements += log.keyTables.map { "DROP TABLE main.\(quoted($0))" }
    guard !attached.isEmpty else {
      throw StoreError(
        .notAStore, "\(path) has no table that can be attached",
        recovery: omissions.first.map { .changeTable($0.name, reason: $0.reason) } ?? .createTable)
    }
    // Renewing triggers without need would make earlier tokens expire.
    if let known, known.fault == nil, known.isChoice == !names.isEmpty,
      known.tables == attached.sorted(by: { $0.number < $1.number })
    {
      statements = []
    }
    return Plan(
      statements: statements, tables: attached.map(\.name),
      omitted: omissions.filter { $0.kind != .view }.map { ($0.name, $0.reason) },
      isRenewal: known != nil)
  }

  /// Statements that give the log as many columns `prefix0`, `prefix1` … as a table needs at most.
  private static func widening(_ prefix: String, from known: Int?, _ needed: [Int]) -> [String] {
    let known = known ?? 0
    return (known..<max(known, needed.max() ?? 0)).map {
      "ALTER TABLE main.followspot_change ADD COLUMN \(prefix)\($0)"
    }
  }

  /// The columns that will identify a table's rows; empty for the key that the schema declares.
  private static func key(
    of table: DatabaseTable, _ choice: ColumnChoice, known: Attachment.Table?, _ connection: Connection
  ) throws -> [String] {
    let named = choice.columns(of: table).prefix(1)
    let key = named.isEmpty ? known?.key ?? [] : Array(named)
    guard !key.isEmpty, !table.isIntegerKey(key) else { return [] }
    let name = "\(table.name).\(key.joined(separator: ", "))"
    guard key.allSatisfy({ table.column(named: $0) != nil }) else {
      throw StoreError(
        .notAStore, "the key \(name) is gone", recovery: .chooseKey)
    }
    guard let columns = table.keyColumns(named: key) else {
      try refuseEqualValues(of: key, in: table, connection)
      throw StoreError(
        .notAStore, "\(name) cannot be a key: it has no unique index", recovery: .createUniqueIndex)
    }
    if let foreign = columns.first(where: { !$0.hasKnownCollation }) {
      throw StoreError(
        .notAStore, "\(name) cannot be a key: it has the collation \(foreign.collation) of another program",
        recovery: .chooseOtherKey)
    }
    return key
  }

  /// Refuses a key of which several rows have the same value.
  private static func refuseEqualValues(
    of key: [String], in table: DatabaseTable, _ connection: Connection
  ) throws {
    let columns = key.map(quoted).joined(separator: ", ")
    // NULL is not equal to NULL. The collation of another program is not needed.
    let values = key.map { quoted($0) + " COLLATE BINARY" }.joined(separator: ", ")
    let condition = key.map { quoted($0) + " IS NOT NULL" }.joined(separator: " AND ")
    let groups = "FROM \(quoted(table.name)) WHERE \(condition) GROUP BY \(values) HAVING count(*) > 1"
    let rows = try connection.integer("SELECT sum(n) FROM (SELECT count(*) AS n \(groups))") ?? 0
    guard rows > 0 else { return }
    throw StoreError(
      .notAStore,
      "\(table.name).\(key.joined(separator: ", ")) cannot be a key: \(rows) rows have the same value as another row",
      recovery: .listRows(path: connection.path, statement: "SELECT \(columns), count(*) \(groups)"))
  }

  /// Refuses a key that rows lack, because they would not be indexed.
  private static func refuseUnkeyedRows(of table: DatabaseTable, _ connection: Connection) throws {
    let rows = try table.unkeyedRows(connection)
    guard rows > 0, let statement = table.listOfUnkeyedRows else { return }
    let (names, value) =
      switch table.rowKey {
      case .columns(let columns)?: (columns.map(\.name).joined(separator: ", "), "value")
      case .integer?, nil: (table.primaryKey?.name ?? "", "integer")
      }
    throw StoreError(
      .notAStore,
      "\(table.name).\(names) cannot be a key: \(rows) row\(rows == 1 ? " has" : "s have") no \(value) in it",
      recovery: .listRows(path: connection.path, statement: statement))
  }

  /// A table that already has a name of the attachment's tables, but is another program's.
  private static func takenName(_ connection: Connection, _ log: LogTables) throws -> String? {
    let own = Set(log.allNames.map(\.sqlName))
    return try connection.mapRows("SELECT name FROM main.sqlite_master WHERE name LIKE 'followspot%' ORDER BY name") {
      $0.text(at: 0)
    }.first { LogTables.needs($0.lowercased()) && !own.contains($0.sqlName) }
  }

  /// The first table number that is not in use by a table, the log or a key table.
  private static func freeNumber(_ connection: Connection, _ log: LogTables) throws -> Int {
    func highest(_ column: String, _ table: LogTables.Table) throws -> Int64 {
      guard let name = log.names[table] else { return 0 }
      return try connection.integer("SELECT max(\(column)) FROM main.\(quoted(name))") ?? 0
    }
    let numbers = [try highest("number", .table), try highest("tableNumber", .change)] + log.keyTableNumbers
    return Int(numbers.max() ?? 0) + 1
  }

  /// Inserts a change without a table, two numbers after the newest one.
  private static let gap = """
    INSERT INTO main.followspot_change (number, tableNumber, rowKey, kind, time) \
    SELECT ifnull(max(number), 0) + 2, 0, 0, 1, (julianday('now') - 2451910.5) * 86400.0 FROM main.followspot_change
    """
}

extension Attachment.Table {
  /// The statement that keeps this table, or a former one of it.
  fileprivate func insertion(of table: Attachment.Table) -> String {
    let names = [table.name, Attachment.encoded(table.key), Attachment.encoded(table.preserved)].map(literal)
    return "INSERT INTO main.followspot_table (number, name, key, preserved, \(Attachment.successorColumn)) VALUES "
      + "(\(table.number), \(names.joined(separator: ", ")), \(table.number == number ? "NULL" : "\(number)"))"
  }
}
