internal import SQLite

/// The unique indexes of a table, without its integer key.
struct UniqueIndexes {
  let columns: [[(column: String, collation: String)]]
  /// The name of an index on expressions alone, or on a generated column; nil if there is none. Triggers cannot compare
  /// them: SQLite computes generated columns of the new row only after the BEFORE UPDATE triggers.
  let onExpressions: String?
  /// Whether a row may enter an index although no column changes, because it is partial or has an expression too.
  let dependOnMore: Bool

  static func of(_ table: DatabaseTable, _ connection: Connection) throws -> UniqueIndexes {
    var columns: [[(column: String, collation: String)]] = []
    var onExpressions: String?
    var dependOnMore = false
    let indexes = try connection.cursor(
      "SELECT name, partial FROM pragma_index_list(?1, 'main') WHERE \"unique\" ORDER BY name")
    try indexes.bind(table.name, at: 1)
    while try indexes.step() {
      let parts = try connection.cursor(
        "SELECT cid, name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno")
      try parts.bind(indexes.text(at: 0), at: 1)
      var index: [(column: String, collation: String)] = []
      while try parts.step() {
        // -2 is an expression, and -1 is the rowid.
        if parts.integer(at: 0) == -2 { dependOnMore = true }
        if let column = table.column(named: parts.text(at: 1)), column.isGenerated {
          onExpressions = indexes.text(at: 0)
        }
        if parts.integer(at: 0) >= 0 { index.append((parts.text(at: 1), quoted(parts.text(at: 2)))) }
      }
      if indexes.integer(at: 1) == 1 { dependOnMore = true }
      if index.isEmpty {
        onExpressions = indexes.text(at: 0)
      } else if !table.isIntegerKey(index.map(\.column)) {
        columns.append(index)
      }
    }
    return UniqueIndexes(columns: columns, onExpressions: onExpressions, dependOnMore: dependOnMore)
  }

  /// The columns of the primary key's index; nil if it has none.
  static func primaryKey(of table: DatabaseTable, _ connection: Connection) throws -> [KeyColumn]? {
    try keys(of: table, connection).first { $0.isPrimary }?.columns
  }

  /// The columns of a unique index on exactly these columns; nil if there is none.
  static func key(of table: DatabaseTable, on names: [String], _ connection: Connection) throws -> [KeyColumn]? {
    let wanted = Set(names.map(\.sqlName))
    return try keys(of: table, connection).first { Set($0.columns.map(\.name.sqlName)) == wanted }?.columns
  }

  /// The unique indexes that cover all rows and contain only columns.
  private static func keys(
    of table: DatabaseTable, _ connection: Connection
  ) throws -> [(columns: [KeyColumn], isPrimary: Bool)] {
    let indexes = try connection.cursor(
      """
      SELECT name, origin = 'pk' FROM pragma_index_list(?1, 'main') WHERE "unique" AND NOT partial
      ORDER BY origin = 'pk' DESC, name
      """)
    try indexes.bind(table.name, at: 1)
    var keys: [(columns: [KeyColumn], isPrimary: Bool)] = []
    while try indexes.step() {
      let parts = try connection.cursor(
        "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno")
      try parts.bind(indexes.text(at: 0), at: 1)
      var columns: [KeyColumn] = []
      var isOfColumns = true
      while try parts.step() {
        if let column = parts.isNull(at: 0) ? nil : table.column(named: parts.text(at: 0)) {
          columns.append(KeyColumn(column, collation: quoted(parts.text(at: 1))))
        } else {
          isOfColumns = false
        }
      }
      if isOfColumns, columns.allSatisfy({ table.column(named: $0.name)?.isGenerated == false }) {
        keys.append((columns, indexes.integer(at: 1) == 1))
      }
    }
    return keys
  }
}

extension DatabaseTable {
  /// Whether these columns are the integer key of the rows.
  func isIntegerKey(_ columns: [String]) -> Bool { columns.map(quoted) == [integerKey] }

  /// Sets the key of the rows as in an attachment.
  ///
  /// - Parameters:
  ///   - names: The columns of the key; empty for the key that the schema declares.
  ///   - number: The table's number in the attachment.
  /// - Returns: Whether a usable unique index on exactly these columns exists.
  mutating func identify(by names: [String], number: Int, _ connection: Connection) throws -> Bool {
    if !names.isEmpty {
      guard let columns = try UniqueIndexes.key(of: self, on: names, connection),
        columns.allSatisfy(\.hasKnownCollation)
      else { return false }
      rowKey = .columns(columns)
    }
    if case .columns(let columns)? = rowKey {
      keyTable = KeyTable(name: "followspot_key_\(number)", isTemporary: false, columns: columns)
    }
    return true
  }
}
