internal import SQLite

/// The triggers that write each change of one table to the change log.
///
/// `REPLACE` deletes conflicting rows without firing a delete trigger, unless the writer has enabled
/// `recursive_triggers`. So the BEFORE triggers log the rows that equal the new row in some unique index. A reader of
/// the change finds such rows deleted or unchanged.
///
/// The triggers use no function that a writer's SQLite may lack. They use no conflict clause, because that of the
/// writer's statement would override it.
struct ChangeTriggers {
  let table: DatabaseTable
  /// The table's number in `followspot_table`.
  let number: Int
  /// The names of the columns whose values the log keeps after a deletion.
  let preserved: [String]
  let uniqueIndexes: UniqueIndexes

  /// The suffixes of the triggers' names.
  static let kinds: Set<String> = ["insert_conflict", "update_conflict", "insert", "delete", "update", "update_key"]

  /// The unquoted names and `CREATE TRIGGER` statements, in the order of creation.
  var statements: [(name: String, sql: String)] {
    let uniqueColumns = Dictionary(uniqueIndexes.columns.joined().map { ($0.column.sqlName, $0.column) }) { first, _ in
      first
    }.values.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    // Rows with the same rowid conflict too, even if another key identifies them.
    var rowidChanges: [String] = []
    if table.keyTable != nil, let name = table.integerKey { rowidChanges = ["OLD.\(name) IS NOT NEW.\(name)"] }
    // A collation may treat different values as equal.
    let changes = uniqueColumns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0)) COLLATE BINARY" }
    let conflictChanges =
      uniqueIndexes.dependOnMore ? nil : ([keyChanges] + rowidChanges + changes).joined(separator: " OR ")
    let numbering = table.keyTable.map { $0.numbering("NEW") + " " } ?? ""
    return [
      trigger("insert_conflict", "BEFORE INSERT", logConflicts(excluding: nil)),
      trigger("update_conflict", "BEFORE UPDATE", when: conflictChanges, logConflicts(excluding: key(of: "OLD"))),
      trigger("insert", "AFTER INSERT", numbering + log("NEW", .insert)),
      trigger("delete", "AFTER DELETE", log("OLD", .delete)),
      trigger("update", "AFTER UPDATE", when: "NOT (\(keyChanges))", log("NEW", .update)),
      trigger(
        "update_key", "AFTER UPDATE", when: keyChanges, numbering + log("OLD", .delete) + " " + log("NEW", .insert)),
    ]
  }

  /// A condition: an update changes the row's key.
  private var keyChanges: String {
    switch table.rowKey {
    case .integer(let name)?: "OLD.\(name) IS NOT NEW.\(name)"
    case .columns(let columns)?:
      columns.map { "OLD.\(quoted($0.name)) IS NOT NEW.\(quoted($0.name)) COLLATE \($0.collation)" }
        .joined(separator: " OR ")
    case nil: "0"
    }
  }

  /// The SQL expression for the key of the trigger's row `OLD` or `NEW`.
  private func key(of row: String) -> String {
    table.keyTable?.number(of: row) ?? table.key(row, key: "")
  }

  private func trigger(
    _ name: String, _ event: String, when condition: String? = nil, _ body: String
  ) -> (name: String, sql: String) {
    let name = "followspot_\(number)_\(name)"
    let condition = condition.map { " WHEN \($0)" } ?? ""
    return (
      name,
      "CREATE TRIGGER \(name) \(event) ON \(quoted(table.name))\(condition) BEGIN \(body) END"
    )
  }

  /// A statement that logs the trigger's row `OLD` or `NEW`, if it has a key.
  private func log(_ row: String, _ kind: ChangeKind) -> String {
    let values = kind == .delete ? preserved.map { ", \(row).\(quoted($0))" }.joined() : ""
    let columns = kind == .delete ? preserved.indices.map { ", value\($0)" }.joined() : ""
    let what = "\(kind.rawValue), \(Self.timestamp), \(Self.author)\(values)"
    return "INSERT INTO followspot_change (\(Self.columns)\(columns)) "
      + (table.keyTable.map { "SELECT \(number), k.id, \(what) FROM \($0.name) k WHERE \($0.matches(row));" }
        ?? "VALUES (\(number), \(key(of: row)), \(what));")
  }

  /// A statement that logs every row that conflicts with the new one.
  ///
  /// - Parameter own: The key of the updated row, which is not logged.
  private func logConflicts(excluding own: String?) -> String {
    var equalities = uniqueIndexes.columns.map { index in
      let terms = index.map { "t.\(quoted($0.column)) = \(newValue($0.column)) COLLATE \($0.collation)" }
      return "(\(terms.joined(separator: " AND ")))"
    }
    if let name = table.integerKey { equalities.insert("t.\(name) = NEW.\(name)", at: 0) }
    let other = own.map { " AND \(table.key) IS NOT \($0)" } ?? ""
    let keys = table.keyTable.map { " JOIN \($0.name) k ON \($0.matches("t"))" } ?? ""
    return "INSERT INTO followspot_change (\(Self.columns)) "
      + "SELECT \(number), \(table.key), \(ChangeKind.update.rawValue), \(Self.timestamp), \(Self.author) "
      + "FROM \(quoted(table.name)) t\(keys) WHERE (\(equalities.joined(separator: " OR ")))\(other);"
  }

  /// The new value of a column. `REPLACE` replaces a forbidden NULL by the default, but only after these triggers.
  private func newValue(_ column: String) -> String {
    let name = "NEW." + quoted(column)
    guard let found = table.column(named: column), found.isNotNull, let value = found.defaultValue else { return name }
    return "ifnull(\(name), (\(Self.expression(ofDefault: value))))"
  }

  /// Converts a default to an expression. A bare or quoted word is a text in a default, but a column in a trigger.
  private static func expression(ofDefault text: String) -> String {
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 {
      return literal(String(text.dropFirst().dropLast()).replacing("\"\"", with: "\""))
    }
    let words = ["NULL", "TRUE", "FALSE", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
    let isWord =
      text.first.map { $0.isLetter || $0 == "_" } == true && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord && !words.contains(text.uppercased()) ? literal(text) : text
  }

  private static let columns = "tableNumber, rowKey, kind, time, author"
  /// Seconds since 2001-01-01 UTC. The last digits are random, so that a restored copy cannot repeat a timestamp.
  private static let timestamp = "(julianday('now') - 2451910.5) * 86400.0 + (random() & 1023) * 0.000001"
  private static let author =
    "(SELECT a.id FROM followspot_writer w JOIN followspot_author a ON a.name = w.author)"
}
