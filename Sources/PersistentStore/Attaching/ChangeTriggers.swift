internal import SQLite

/// The triggers that write each change of one table to the change log.
///
/// `REPLACE` deletes conflicting rows without firing a delete trigger, unless the writer turned `recursive_triggers` on.
/// So the triggers before an insert and an update log the rows that agree with the new one in some unique index. Such
/// rows are looked at when the change is read: they are gone or still there.
///
/// Triggers use no function that a writer's SQLite may lack, and no conflict clause: that of the writer's statement would
/// override it.
struct ChangeTriggers {
  let table: DatabaseTable
  /// The table's number in `followspot_table`.
  let number: Int
  /// The names of the columns whose values a deletion leaves in the log.
  let preserved: [String]
  let uniqueIndexes: UniqueIndexes

  /// The ends of the triggers' names.
  static let kinds: Set<String> = ["insert_conflict", "update_conflict", "insert", "delete", "update", "update_key"]

  /// Names, without quotes, and `CREATE TRIGGER` statements, in the order of creation.
  var statements: [(name: String, sql: String)] {
    guard let key = table.key else { return [] }
    let keyChanges = "OLD.\(key) IS NOT NEW.\(key)"
    let uniqueColumns = Set(uniqueIndexes.columns.joined().map(\.column)).sorted()
    // The collation of a column may take different values for equal ones.
    let changes = uniqueColumns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0)) COLLATE BINARY" }
    let conflictChanges = uniqueIndexes.dependOnMore ? nil : ([keyChanges] + changes).joined(separator: " OR ")
    return [
      trigger("insert_conflict", "BEFORE INSERT", touched(key, besides: nil)),
      trigger("update_conflict", "BEFORE UPDATE", when: conflictChanges, touched(key, besides: "OLD.\(key)")),
      trigger("insert", "AFTER INSERT", log("NEW", .insert)),
      trigger("delete", "AFTER DELETE", log("OLD", .delete)),
      trigger("update", "AFTER UPDATE", when: "OLD.\(key) IS NEW.\(key)", log("NEW", .update)),
      trigger("update_key", "AFTER UPDATE", when: keyChanges, log("OLD", .delete) + " " + log("NEW", .insert)),
    ]
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

  /// Logs one row of the trigger.
  private func log(_ row: String, _ kind: ChangeKind) -> String {
    let values = kind == .delete ? preserved.map { ", \(row).\(quoted($0))" }.joined() : ""
    let columns = kind == .delete ? preserved.indices.map { ", value\($0)" }.joined() : ""
    return "INSERT INTO followspot_change (\(Self.columns)\(columns)) "
      + "VALUES (\(number), \(row).\(table.key ?? ""), \(kind.rawValue), \(Self.moment), \(Self.author)\(values));"
  }

  /// Logs every row that conflicts with the new one.
  private func touched(_ key: String, besides own: String?) -> String {
    let equalities =
      ["t.\(key) = NEW.\(key)"]
      + uniqueIndexes.columns.map { index in
        let terms = index.map { "t.\(quoted($0.column)) = \(newValue($0.column)) COLLATE \($0.collation)" }
        return "(\(terms.joined(separator: " AND ")))"
      }
    let other = own.map { " AND t.\(key) IS NOT \($0)" } ?? ""
    return "INSERT INTO followspot_change (\(Self.columns)) "
      + "SELECT \(number), t.\(key), \(ChangeKind.update.rawValue), \(Self.moment), \(Self.author) "
      + "FROM \(quoted(table.name)) t WHERE (\(equalities.joined(separator: " OR ")))\(other);"
  }

  /// `REPLACE` replaces a NULL that a column forbids by the column's default, but only after these triggers.
  private func newValue(_ column: String) -> String {
    let name = "NEW." + quoted(column)
    guard let found = table.column(named: column), found.isNotNull, let value = found.defaultValue else { return name }
    return "ifnull(\(name), (\(value)))"
  }

  private static let columns = "tableNumber, rowKey, kind, time, author"
  /// Seconds since 2001-01-01 UTC. The last digits are random, so that a restored copy cannot repeat a time.
  private static let moment = "(julianday('now') - 2451910.5) * 86400.0 + (random() & 1023) * 0.000001"
  private static let author =
    "(SELECT a.id FROM followspot_writer w JOIN followspot_author a ON a.name = w.author)"
}
