internal import SQLite

/// The objects that `followspot attach` created in a database: the change log and, for each table, its triggers.
struct Attachment {
  struct Table: Equatable {
    let number: Int
    let name: String
    /// The columns that identify a row; empty if an integer column does.
    let key: [String]
    /// The columns whose values the log keeps after a deletion.
    let preserved: [String]
  }

  /// The names of the attachment's own tables.
  static let tableNames = [
    "followspot_store", "followspot_table", "followspot_author", "followspot_writer", "followspot_change",
  ]

  /// Whether a database is attached.
  static func exists(_ connection: Connection) throws -> Bool {
    try connection.hasTable("followspot_change") && connection.hasTable("followspot_table")
      && connection.hasTable("followspot_store")
  }

  /// Whether a table of an attached database belongs to the attachment.
  ///
  /// - Parameter name: The name in lower case.
  static func isOwn(_ name: String) -> Bool { tableNames.contains(name) || isKeyTable(name) }

  static func isKeyTable(_ name: String) -> Bool {
    let number = name.dropFirst("followspot_key_".count)
    return name.hasPrefix("followspot_key_") && !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
  }

  let uuid: String
  private(set) var tables: [Table] = []
  /// The number of the log's columns for preserved values.
  let preservedColumns: Int
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
  init?(_ connection: Connection) throws {
    guard try Self.exists(connection) else { return nil }
    let store = try connection.cursor("SELECT uuid FROM main.followspot_store")
    guard try store.step() else { return nil }
    uuid = store.text(at: 0)
    preservedColumns = Int(
      try connection.integer("SELECT count(*) FROM pragma_table_info('followspot_change') WHERE name GLOB 'value*'")
        ?? 0)
    // A renamed table keeps its triggers, so they give its current name.
    let list = try connection.cursor(
      """
      SELECT f.number, coalesce(m.tbl_name, f.name), f.key, f.preserved FROM main.followspot_table f
      LEFT JOIN main.sqlite_master m ON m.type = 'trigger' AND m.name = 'followspot_' || f.number || '_insert'
      ORDER BY f.number
      """)
    while try list.step() {
      tables.append(
        Table(
          number: Int(list.integer(at: 0)), name: list.text(at: 1), key: Self.decodedNames(list.text(at: 2)),
          preserved: Self.decodedNames(list.text(at: 3))))
    }
    fault = try findFault(connection)
  }

  /// Encodes column names as one text, and decodes them.
  static func encoded(_ names: [String]) -> String { names.joined(separator: "\u{1f}") }
  private static func decodedNames(_ text: String) -> [String] { text.split(separator: "\u{1f}").map(String.init) }

  private func findFault(_ connection: Connection) throws -> Fault? {
    let known = try DatabaseTable.all(connection).tables
    for table in tables {
      guard var found = known.first(where: { $0.name.sqlName == table.name.sqlName }) else {
        return Fault(reason: "the table \(table.name) is gone", isRenewable: false)
      }
      guard try found.identify(by: table.key, number: table.number, connection) else {
        return Fault(reason: "the key of the table \(table.name) is no longer unique", isRenewable: false)
      }
      if let keys = found.keyTable, try !connection.hasTable(keys.name) {
        return Fault(reason: "the numbers of the keys of the table \(table.name) are gone", isRenewable: true)
      }
      let unique = try UniqueIndexes.of(found, connection)
      if let index = unique.onExpressions {
        return Fault(
          reason: "the table \(table.name) has the unique index \(index) on expressions, which triggers cannot compare",
          isRenewable: false)
      }
      guard table.preserved.allSatisfy({ found.column(named: $0) != nil }) else {
        return Fault(
          reason: "columns of the table \(table.name) whose values were to be preserved are gone", isRenewable: true)
      }
      let triggers = ChangeTriggers(
        table: found, number: table.number, preserved: table.preserved, uniqueIndexes: unique)
      for (name, sql) in triggers.statements {
        let statement = try connection.statement(
          "SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND name = ?1")
        defer { statement.reset() }
        try statement.bind(name, at: 1)
        guard try statement.step() else {
          return Fault(reason: "triggers of the table \(table.name) are missing", isRenewable: true)
        }
        guard Self.isSame(statement.text(at: 0), sql) else {
          return Fault(reason: "triggers of the table \(table.name) are out of date", isRenewable: true)
        }
      }
    }
    return nil
  }

  /// SQLite rewrites the text of a trigger when a table or column is renamed, so quotes may differ.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one == other || one.filter { $0 != "\"" } == other.filter { $0 != "\"" }
  }
}
