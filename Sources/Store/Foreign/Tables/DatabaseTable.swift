// SPDX-License-Identifier: MIT

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
    /// Whether only another program has the collation of the column.
    var hasForeignCollation = false

    /// Column affinity. Source: "Datatypes In SQLite", section 3.1.
    var isInteger: Bool { declaredType.uppercased().contains("INT") }
    var affinity: String { KeyColumn.affinity(ofType: declaredType) }

    /// The column of a row as SQL, with a collation that this program has.
    func sql(of row: String) -> String { "\(row).\(quoted(name))" + (hasForeignCollation ? " COLLATE BINARY" : "") }
  }

  /// A foreign key.
  struct Reference {
    var columns: [String]
    let table: String
    /// The columns of the other table; empty for its primary key.
    var targets: [String]
  }

  let name: String
  let hasRowid: Bool
  /// Whether a module of SQLite, such as a full-text index, keeps its rows. Triggers cannot be put on it.
  let isVirtual: Bool
  /// Without generated columns that call functions of another program.
  let columns: [Column]
  let references: [Reference]
  /// The unique indexes in the order of their names.
  let indexes: [UniqueIndex]

  var quotedName: String { "main." + quoted(name) }

  /// The column of the primary key; nil if the key has several columns or does not exist.
  var primaryKey: Column? {
    let key = columns.filter { $0.primaryKeyIndex > 0 }
    return key.count == 1 ? key[0] : nil
  }

  /// The column that is an alias of the rowid (INTEGER PRIMARY KEY).
  var rowidAlias: Column? {
    guard hasRowid, !indexes.contains(where: \.isPrimary), let key = primaryKey,
      key.declaredType.uppercased() == "INTEGER"
    else { return nil }
    return key
  }

  /// The key of the rows; nil if nothing identifies a row.
  var rowKey: RowKey?
  /// The virtual table that numbers keys that are not integers. Only the statements on rows need it.
  var numbers: KeyNumberTable?

  /// The FROM clause that selects all rows with a key; the table has the alias `t`.
  var rows: String { rows("t", key: "k") }

  /// The SQL expression of a row's key in `rows`; empty for a table without keys.
  var key: String { key("t", key: "k") }

  /// The same FROM clause with other aliases, for joins.
  func rows(_ alias: String, key keyAlias: String) -> String {
    guard let numbers else { return "\(quotedName) \(alias)" }
    return "\(numbers.name) \(keyAlias) JOIN \(quotedName) \(alias) ON \(numbers.matches(alias, key: keyAlias))"
  }

  func key(_ alias: String, key keyAlias: String) -> String {
    if numbers != nil { return keyAlias + ".id" }
    guard case .integer(let name)? = rowKey else { return "" }
    return "\(alias).\(name)"
  }

  /// The columns whose values name a row for people: its key, or the primary key of a table whose rows are found by their
  /// rowids. There a value may be NULL. nil if the integer key is the name.
  var namingColumns: [KeyColumn]? {
    switch rowKey {
    case .columns(let columns)?: return columns
    case .integer? where hasRowid && rowidAlias == nil:
      let columns = keyIndexes.first(where: \.isPrimary)?.columns
      return columns?.allSatisfy(\.hasKnownCollation) == true ? columns : nil
    default: return nil
    }
  }

  /// A condition if not every row has a key: a table without a rowid may hold other values in an integer column, and a
  /// unique index allows NULL.
  var keyCondition: String? {
    switch rowKey {
    case .columns(let columns)?: columns.map { "t.\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
    case .integer(let name)? where !hasRowid: "typeof(t.\(name)) = 'integer'"
    case .integer?, nil: nil
    }
  }

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

  func column(named name: String) -> Column? {
    let name = name.sqlName
    return columns.first { $0.name.sqlName == name }
  }
}
