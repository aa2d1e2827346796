// SPDX-License-Identifier: MIT

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

  /// The kind of a line for a row that the statement replaces, or leaves as it is. It has the values of the row.
  static let replacement = 3

  /// The unquoted names and `CREATE TRIGGER` statements, in the order of creation.
  var statements: [(name: String, sql: String)] {
    let uniqueColumns = inOrder(uniqueIndexes.columns.joined().map(\.column))
    // Rows with the same rowid conflict too, even if another key identifies them.
    var rowidChanges: [String] = []
    if case .columns? = table.rowKey, let name = table.integerKey { rowidChanges = ["OLD.\(name) IS NOT NEW.\(name)"] }
    // A collation may treat different values as equal.
    let changes = uniqueColumns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0)) COLLATE BINARY" }
    let conflictChanges =
      uniqueIndexes.dependOnMore ? nil : ([keyChanges] + rowidChanges + changes).joined(separator: " OR ")
    return [
      trigger("insert_conflict", "BEFORE INSERT", logConflicts(excluding: nil)),
      trigger(
        "update_conflict", "BEFORE UPDATE\(ofColumns(uniqueColumns))", when: conflictChanges,
        logConflicts(excluding: "OLD")),
      trigger("insert", "AFTER INSERT", log("NEW", .insert)),
      trigger("delete", "AFTER DELETE", log("OLD", .delete)),
      trigger("update", "AFTER UPDATE", when: "NOT (\(keyChanges))", log("NEW", .update)),
      trigger(
        "update_key", "AFTER UPDATE\(ofColumns([]))", when: keyChanges,
        log("OLD", .delete) + " " + log("NEW", .insert)),
    ]
  }

  /// The clause by which SQLite omits a trigger from updates of other columns; empty where others may matter. It compares
  /// names as the writer's statement has them, so that all names of the integer key are in it.
  ///
  /// - Parameter columns: The columns that matter besides the key.
  private func ofColumns(_ columns: [String]) -> String {
    guard columns.isEmpty || !uniqueIndexes.dependOnMore else { return "" }
    let key = (table.namingColumns ?? []).map(\.name) + (table.primaryKey.map { [$0.name] } ?? [])
    let own = Set(table.columns.map(\.name.sqlName))
    let rowid = table.hasRowid ? ["rowid", "_rowid_", "oid"].filter { !own.contains($0.sqlName) } : []
    return " OF " + (rowid + inOrder(columns + key)).map(quoted).joined(separator: ", ")
  }

  /// The names of different columns in the order of the table, which a new name does not change.
  private func inOrder(_ names: [String]) -> [String] {
    let wanted = Set(names.map(\.sqlName))
    return table.columns.map(\.name).filter { wanted.contains($0.sqlName) }
  }

  /// A condition: an update changes the row's key.
  private var keyChanges: String {
    guard case .integer? = table.rowKey, let columns = table.namingColumns else { return isOther("OLD", than: "NEW") }
    // The record has another name.
    return "(\(isOther("OLD", than: "NEW")) OR \(differs("OLD", from: "NEW", in: columns)))"
  }

  /// The columns of the log for the key of a row, and the values for the row `alias`. The number of a key is computed when
  /// the log is read.
  private func key(of alias: String) -> (columns: String, values: String) {
    let named = table.namingColumns ?? []
    let number = if case .columns? = table.rowKey { "0" } else { table.key(alias, key: "") }
    return (
      (["rowKey"] + named.indices.map { "key\($0)" }).joined(separator: ", "),
      ([number] + named.map { "\(alias).\(quoted($0.name))" }).joined(separator: ", ")
    )
  }

  /// A condition: the row `alias` has a key; nil if every row has one.
  private func hasKey(_ alias: String) -> String? {
    guard case .columns(let columns)? = table.rowKey else { return nil }
    return columns.map { "\(alias).\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
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
    let columns = kind == .delete ? preservedColumns : ""
    let key = key(of: row)
    let what = "\(number), \(key.values), \(kind.rawValue), \(Self.timestamp), \(Self.author)\(values)"
    return "INSERT INTO followspot_change (tableNumber, \(key.columns), kind, time, author\(columns)) "
      + (hasKey(row).map { "SELECT \(what) WHERE \($0);" } ?? "VALUES (\(what));")
  }

  /// A statement that logs every row that conflicts with the new one.
  ///
  /// - Parameter own: The updated row, which is not logged.
  private func logConflicts(excluding own: String?) -> String {
    var equalities = uniqueIndexes.columns.map { index in
      let terms = index.map { "t.\(quoted($0.column)) = \(newValue($0.column)) COLLATE \($0.collation)" }
      return "(\(terms.joined(separator: " AND ")))"
    }
    if let name = table.integerKey { equalities.insert("t.\(name) = NEW.\(name)", at: 0) }
    let key = key(of: "t")
    let (kind, values) = replacement
    let conditions =
      ["(\(equalities.joined(separator: " OR ")))"] + (own.map { [isOther("t", than: $0)] } ?? [])
      + (hasKey("t").map { [$0] } ?? [])
    return "INSERT INTO followspot_change (tableNumber, \(key.columns), kind, time, author\(preservedColumns)) "
      + "SELECT \(number), \(key.values), \(kind), \(Self.timestamp), \(Self.author)\(values) "
      + "FROM \(quoted(table.name)) t WHERE \(conditions.joined(separator: " AND "));"
  }

  private var preservedColumns: String { preserved.indices.map { ", value\($0)" }.joined() }

  /// The kind of a line for the row `t`, which the new row conflicts with, and the preserved values. The new row may have
  /// its key or its name: the record then stays.
  private var replacement: (kind: String, values: String) {
    let update = "\(ChangeKind.update.rawValue)"
    if case .integer? = table.rowKey, uniqueIndexes.columns.isEmpty {
      return (update, preserved.map { _ in ", NULL" }.joined())
    }
    var terms = [isOther("t", than: "NEW")]
    if case .integer? = table.rowKey, let columns = table.namingColumns {
      terms.append(differs("t", from: "NEW", in: columns))
    }
    let isOther = terms.joined(separator: " AND ")
    return (
      "CASE WHEN \(isOther) THEN \(Self.replacement) ELSE \(update) END",
      preserved.map { ", CASE WHEN \(isOther) THEN t.\(quoted($0)) END" }.joined()
    )
  }

  /// A condition: the row `alias` has another key than the row `other`.
  private func isOther(_ alias: String, than other: String) -> String {
    switch table.rowKey {
    case .columns(let columns)?: return differs(alias, from: other, in: columns)
    case .integer(let name)?: return "\(alias).\(name) IS NOT \(other).\(name)"
    case nil: return "0"
    }
  }

  private func differs(_ alias: String, from other: String, in columns: [KeyColumn]) -> String {
    let terms = columns.map {
      "\(alias).\(quoted($0.name)) IS NOT \(other).\(quoted($0.name)) COLLATE \($0.collation)"
    }
    return "(\(terms.joined(separator: " OR ")))"
  }

  /// The new value of a column. `REPLACE` replaces a forbidden NULL by the default, but only after these triggers.
  private func newValue(_ column: String) -> String {
    let name = "NEW." + quoted(column)
    guard let found = table.column(named: column), found.isNotNull, let value = found.defaultValue else { return name }
    return "ifnull(\(name), (\(Self.expression(ofDefault: value))))"
  }

  /// Converts a default to an expression. A bare or quoted word is a text in a default, but a column in a trigger.
  static func expression(ofDefault text: String) -> String {
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 {
      return literal(String(text.dropFirst().dropLast()).replacing("\"\"", with: "\""))
    }
    let words = ["NULL", "TRUE", "FALSE", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
    let isWord =
      text.first.map { $0.isLetter || $0 == "_" } == true && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord && !words.contains(text.uppercased()) ? literal(text) : text
  }

  /// Seconds since 2001-01-01 UTC. The last digits are random, so that a restored copy cannot repeat a timestamp.
  private static let timestamp = "(julianday('now') - 2451910.5) * 86400.0 + (random() & 1023) * 0.000001"
  private static let author =
    "(SELECT a.id FROM followspot_writer w JOIN followspot_author a ON a.name = w.author WHERE w.author IS NOT NULL)"
}
