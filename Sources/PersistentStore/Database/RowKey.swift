internal import SQLite

/// The key of the rows of a table of an ordinary database.
enum RowKey {
  /// An integer column: the quoted name of the rowid, or of the only column of the primary key.
  case integer(String)
  /// The columns of a unique index. A key table assigns a number to each combination of their values.
  case columns([KeyColumn])
}

/// A column of a unique index.
struct KeyColumn {
  let name: String
  /// The quoted name of the index's collation.
  let collation: String
  /// The affinity of the column, as a type name for `CREATE TABLE`.
  let affinity: String

  init(_ column: DatabaseTable.Column, collation: String) {
    name = column.name
    self.collation = collation
    affinity = Self.affinity(ofType: column.declaredType)
  }

  /// Whether the collation is built into SQLite, so that this program can compare keys too.
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

/// A table that assigns numbers to the keys of another table, whose rows have no integer key. Its columns are `id`,
/// then `k0`, `k1` … for the columns of the key.
///
/// The key table of an attached table is part of the database, and triggers fill it. For any other table it is
/// temporary. Its numbers are then digests of the keys, so they are the same in every process.
struct KeyTable {
  let name: String
  let isTemporary: Bool
  let columns: [KeyColumn]

  var qualifiedName: String { (isTemporary ? "temp." : "main.") + name }

  /// The CREATE TABLE statement exactly as SQLite keeps it in its schema.
  var createStatement: String {
    let definitions = columns.enumerated().map { "k\($0) \($1.affinity) NOT NULL COLLATE \($1.collation)" }
    let names = columns.indices.map { "k\($0)" }
    return "CREATE \(isTemporary ? "TEMP " : "")TABLE \(name) (id INTEGER PRIMARY KEY, "
      + "\(definitions.joined(separator: ", ")), UNIQUE (\(names.joined(separator: ", "))))"
  }

  /// A condition: the row `k` of the key table belongs to the row `alias` of the table or of a trigger.
  func matches(_ alias: String, key k: String = "k") -> String {
    columns.enumerated().map { "\(k).k\($0) = \(alias).\(quoted($1.name)) COLLATE \($1.collation)" }
      .joined(separator: " AND ")
  }

  /// A subquery for the number of the row `alias`; NULL if it has none.
  func number(of alias: String) -> String { "(SELECT k.id FROM \(name) k WHERE \(matches(alias)))" }

  /// A condition: the row `alias` has a key. A unique index allows NULL.
  func hasKey(_ alias: String) -> String {
    columns.map { "\(alias).\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
  }

  private var names: String { columns.indices.map { "k\($0)" }.joined(separator: ", ") }
  private func values(_ alias: String) -> String {
    columns.map { "\(alias).\(quoted($0.name))" }.joined(separator: ", ")
  }

  /// A statement that assigns a number to the row `alias` of a trigger, unless it has one.
  func numbering(_ alias: String) -> String {
    "INSERT INTO \(name) (\(names)) SELECT \(values(alias)) WHERE \(hasKey(alias)) "
      + "AND NOT EXISTS (SELECT 1 FROM \(name) k WHERE \(matches(alias)));"
  }

  /// A statement that assigns numbers to all rows of a table that have none.
  func numberingAll(of table: DatabaseTable) -> String {
    "INSERT INTO \(qualifiedName) (\(names)) SELECT \(values("t")) FROM \(table.quotedName) t "
      + "WHERE \(hasKey("t")) AND NOT EXISTS (SELECT 1 FROM \(qualifiedName) k WHERE \(matches("t"))) "
      + "ORDER BY \(values("t"))"
  }

  /// Deletes numbers that neither a row nor the change log uses. The highest one stays, so that none is assigned twice.
  func deletingUnused(_ table: DatabaseTable, number: Int) -> String {
    "DELETE FROM \(qualifiedName) AS k WHERE NOT EXISTS (SELECT 1 FROM \(table.quotedName) t WHERE \(matches("t"))) "
      + "AND k.id NOT IN (SELECT rowKey FROM main.followspot_change WHERE tableNumber = \(number)) "
      + "AND k.id < (SELECT max(id) FROM \(qualifiedName))"
  }
}
