internal import SQLite

/// What identifies a row of a table of an ordinary database.
enum RowKey {
  /// An integer in the row: the SQL name of the rowid, or of the only column of the primary key, quoted.
  case integer(String)
  /// The columns of a unique index. A key table gives each combination of their values a number.
  case columns([KeyColumn])
}

/// A column of a unique index.
struct KeyColumn {
  let name: String
  /// The name of the index's collation, quoted.
  let collation: String
  /// The affinity that the column's values have, as a type name for `CREATE TABLE`.
  let affinity: String

  init(_ column: DatabaseTable.Column, collation: String) {
    name = column.name
    self.collation = collation
    affinity = Self.affinity(ofType: column.declaredType)
  }

  /// Whether SQLite has the collation by itself, so that this program can compare keys too.
  var hasKnownCollation: Bool { ["\"BINARY\"", "\"NOCASE\"", "\"RTRIM\""].contains(collation.uppercased()) }

  /// Source: "Datatypes In SQLite", section 3.1.
  private static func affinity(ofType declared: String) -> String {
    let type = declared.uppercased()
    if type.contains("INT") { return "INTEGER" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
    if type.isEmpty || type.contains("BLOB") || type == "ANY" { return "BLOB" }
    return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? "REAL" : "NUMERIC"
  }
}

/// A table that numbers the keys of another table, whose rows have no integer of their own: `id`, then a column `k0`, `k1`
/// for each column of the key.
///
/// The key table of an attached table lies in the database, and its triggers fill it. That of any other table is temporary,
/// and each number is a digest of the key, so that it is the same in every process.
struct KeyTable {
  let name: String
  let isTemporary: Bool
  let columns: [KeyColumn]

  /// Qualified by its database.
  var qualifiedName: String { (isTemporary ? "temp." : "main.") + name }

  /// As SQLite keeps it in its schema.
  var createStatement: String {
    let definitions = columns.enumerated().map { "k\($0) \($1.affinity) NOT NULL COLLATE \($1.collation)" }
    let names = columns.indices.map { "k\($0)" }
    return "CREATE \(isTemporary ? "TEMP " : "")TABLE \(name) (id INTEGER PRIMARY KEY, "
      + "\(definitions.joined(separator: ", ")), UNIQUE (\(names.joined(separator: ", "))))"
  }

  /// Whether the row `alias` of the table, or of a trigger, is the one that the key table's row `k` numbers.
  func matches(_ alias: String, key k: String = "k") -> String {
    columns.enumerated().map { "\(k).k\($0) = \(alias).\(quoted($1.name)) COLLATE \($1.collation)" }
      .joined(separator: " AND ")
  }

  /// The number of the row `alias`; NULL where it has none.
  func number(of alias: String) -> String { "(SELECT k.id FROM \(name) k WHERE \(matches(alias)))" }

  /// Whether the row `alias` has a key at all: a unique index allows NULL.
  func isWhole(_ alias: String) -> String {
    columns.map { "\(alias).\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
  }

  private var names: String { columns.indices.map { "k\($0)" }.joined(separator: ", ") }
  private func values(_ alias: String) -> String {
    columns.map { "\(alias).\(quoted($0.name))" }.joined(separator: ", ")
  }

  /// Numbers the row `alias` of a trigger, unless it has a number.
  func numbering(_ alias: String) -> String {
    "INSERT INTO \(name) (\(names)) SELECT \(values(alias)) WHERE \(isWhole(alias)) "
      + "AND NOT EXISTS (SELECT 1 FROM \(name) k WHERE \(matches(alias)));"
  }

  /// Numbers all rows of a table that have no number.
  func numberingAll(of table: DatabaseTable) -> String {
    "INSERT INTO \(qualifiedName) (\(names)) SELECT \(values("t")) FROM \(table.quotedName) t "
      + "WHERE \(isWhole("t")) AND NOT EXISTS (SELECT 1 FROM \(qualifiedName) k WHERE \(matches("t"))) "
      + "ORDER BY \(values("t"))"
  }

  /// Removes numbers whose rows are gone and which the change log, where the table has a number too, names no longer. The
  /// highest number stays, so that none is given twice.
  func forgetting(_ table: DatabaseTable, number: Int) -> String {
    "DELETE FROM \(qualifiedName) AS k WHERE NOT EXISTS (SELECT 1 FROM \(table.quotedName) t WHERE \(matches("t"))) "
      + "AND k.id NOT IN (SELECT rowKey FROM main.followspot_change WHERE tableNumber = \(number)) "
      + "AND k.id < (SELECT max(id) FROM \(qualifiedName))"
  }
}
