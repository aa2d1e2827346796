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
    /// The same table with the numbers, keys and preserved columns that older lines of the log have.
    var former: [Table] = []
  }

  /// The name of the column of `followspot_store` that is 1 if `attach` chose the tables. Earlier versions did not keep
  /// it.
  static let choiceColumn = "isChoice"
  /// The name of the column of `followspot_table` that has, for a former table, the number of the present one.
  static let successorColumn = "successor"

  /// Empty if its table is gone.
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
  /// Whether `followspot_table` can hold former tables. Earlier versions kept none.
  let keepsFormer: Bool
  /// The reason why changes of some table are not logged.
  struct Fault {
    /// A clause without a full stop.
    let reason: String
    /// Whether renewing the triggers is enough.
    let isRenewable: Bool
    /// Whether tables of the log are gone or have other names.
    var isOfLog = false
  }

  /// Set if some changes are not logged.
  private(set) var fault: Fault?

  /// Reads the attachment of a database, or what is left of it; nil if there is none. Call it inside a snapshot.
  ///
  /// - Parameter known: The tables of the database.
  init?(_ connection: Connection, _ log: LogTables, _ known: [DatabaseTable]) throws {
    guard !log.isEmpty else { return nil }
    let store = try log.names[.store].map { try connection.cursor("SELECT * FROM main.\(quoted($0))") }
    let hasStore = try store?.step() == true
    uuid = hasStore ? store?.text(at: 0) ?? "" : ""
    let choice = store.flatMap { store in
      (0..<Int32(store.columnCount)).first { store.columnName(at: $0) == Self.choiceColumn }
    }
    let value = hasStore ? choice.flatMap { store?.value(at: $0) } : .integer(0)
    isChoice = if case .integer(let number)? = value { number == 1 } else { nil }
    preservedColumns = try Self.columns("value", log, connection)
    keyColumns = try Self.columns("key", log, connection)
    keepsFormer =
      try log.names[.table].map {
        try connection.hasRow(
          "SELECT 1 FROM pragma_table_info(?1, 'main') WHERE name = '\(Self.successorColumn)'", [.text($0)])
      } ?? true
    try readTables(connection, log, known)
    let unread = Set(connection.unreadDefinitions.map(\.name.sqlName))
    fault = log.isWhole && hasStore ? findFault(known, unread, log.triggers) : Self.fault(of: log)
  }

  private mutating func readTables(_ connection: Connection, _ log: LogTables, _ known: [DatabaseTable]) throws {
    var found: [Int: Table] = [:]
    var former: [(table: Table, successor: Int)] = []
    if let name = log.names[.table] {
      let successor = keepsFormer ? Self.successorColumn : "NULL"
      try connection.eachRow(
        "SELECT number, name, key, preserved, \(successor) FROM main.\(quoted(name)) ORDER BY number"
      ) { row in
        let number = Int(row.integer(at: 0))
        let table = Table(
          number: number, name: row.text(at: 1), key: Self.decodedNames(row.text(at: 2)),
          preserved: Self.decodedNames(row.text(at: 3)))
        if row.isNull(at: 4) { found[number] = table } else { former.append((table, Int(row.integer(at: 4)))) }
      }
    }
    // SQLite rewrites triggers when a table or a column is renamed.
    for trigger in log.triggers {
      guard let number = trigger.number, let columns = trigger.columns else { continue }
      let isOfSchema = known.first { $0.name.sqlName == trigger.table.sqlName }?.isOwnKey(columns.key) == true
      let isDeclared = found[number].map(\.key.isEmpty) ?? isOfSchema
      let key = isDeclared ? [] : columns.key
      found[number] = Table(number: number, name: trigger.table, key: key, preserved: columns.preserved)
    }
    for (table, successor) in former { found[successor]?.former.append(table) }
    for table in found.values.sorted(by: { $0.number < $1.number }) {
      positions[table.name.sqlName] = tables.count
      tables.append(table)
    }
  }

  func table(named name: String) -> Table? { positions[name.sqlName].map { tables[$0] } }

  /// The number of the log's columns with a prefix.
  private static func columns(_ prefix: String, _ log: LogTables, _ connection: Connection) throws -> Int {
    guard let name = log.names[.change] else { return 0 }
    return Int(
      try connection.integer(
        "SELECT count(*) FROM pragma_table_info(?1, 'main') WHERE name GLOB '\(prefix)[0-9]*'", [.text(name)]) ?? 0)
  }

  /// Encodes column names as one text, and decodes them.
  static func encoded(_ names: [String]) -> String { names.joined(separator: "\u{1f}") }
  private static func decodedNames(_ text: String) -> [String] { text.split(separator: "\u{1f}").map(String.init) }

  // MARK: Faults

  /// What another program did to the tables of the log.
  private static func fault(of log: LogTables) -> Fault {
    // The log itself comes first.
    let changed = LogTables.Table.allCases.reversed().first { log.names[$0].map(\.sqlName) != $0.name.sqlName }
    let state = changed.map { log.names[$0].map { "is now called \($0)" } ?? "is gone" } ?? "is empty"
    let what = "\((changed ?? .store).name), which \(state)"
    guard let trigger = log.triggers.first(where: { $0.number != nil }) else {
      return Fault(
        reason: "attach needs the table \(what), and its triggers are gone", isRenewable: true, isOfLog: true)
    }
    let present = Set(log.allNames.map(\.sqlName))
    let prevents = trigger.tables.values.contains { !present.contains($0.sqlName) }
    return Fault(
      reason: "triggers of attach need the table \(what)" + (prevents ? ", so that other programs cannot write" : ""),
      isRenewable: true, isOfLog: true)
  }

  private func findFault(_ known: [DatabaseTable], _ unread: Set<[UInt8]>, _ triggers: [LogTrigger]) -> Fault? {
    let triggers = Dictionary(triggers.map { ($0.name, $0.sql) }) { first, _ in first }
    let found = Dictionary(known.map { ($0.name.sqlName, $0) }) { first, _ in first }
    for table in tables {
      guard let found = found[table.name.sqlName] else {
        let state = unread.contains(table.name.sqlName) ? "cannot be read" : "is gone"
        return Fault(reason: "the table \(table.name) \(state)", isRenewable: false)
      }
      if let fault = fault(of: table, found, triggers) { return fault }
    }
    if isChoice == false, let new = known.first(where: { $0.isLoggable && table(named: $0.name) == nil }) {
      return Fault(reason: "triggers of the new table \(new.name) are missing", isRenewable: true)
    }
    return nil
  }

  private func fault(
    of table: Table, _ found: DatabaseTable, _ triggers: [String: String]
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
      guard Self.isSame(trigger, sql) else {
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
