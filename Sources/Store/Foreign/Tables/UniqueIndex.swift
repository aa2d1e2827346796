// SPDX-License-Identifier: MIT

internal import SQLite

/// A unique index of a table, as the schema declares it.
struct UniqueIndex {
  /// A term of the index: a column, or an expression.
  struct Term {
    /// nil for an expression and for the rowid.
    let column: String?
    let isExpression: Bool
    /// The quoted name.
    let collation: String
  }

  let name: String
  /// Whether it belongs to the primary key.
  let isPrimary: Bool
  /// Whether it contains only rows that fulfil a condition.
  let isPartial: Bool
  fileprivate(set) var terms: [Term] = []

  /// The unique indexes of all tables, by table and in the order of their names.
  static func all(_ connection: Connection) throws -> [String: [UniqueIndex]] {
    let rows = try connection.cursor(
      """
      SELECT l.name, i.name, i.origin = 'pk', i.partial, x.cid, x.name, x.coll
      FROM pragma_table_list l, pragma_index_list(l.name, 'main') i, pragma_index_xinfo(i.name, 'main') x
      WHERE l.schema = 'main' AND l.type = 'table' AND i."unique" AND x.key ORDER BY i.name, l.name, x.seqno
      """)
    var indexes: [String: [UniqueIndex]] = [:]
    while try rows.step() {
      let (table, name) = (rows.text(at: 0), rows.text(at: 1))
      var found = indexes[table] ?? []
      if found.last?.name != name {
        found.append(
          UniqueIndex(name: name, isPrimary: rows.integer(at: 2) == 1, isPartial: rows.integer(at: 3) == 1))
      }
      // -2 is an expression, and -1 is the rowid.
      found[found.count - 1].terms.append(
        Term(
          column: rows.integer(at: 4) < 0 ? nil : rows.text(at: 5), isExpression: rows.integer(at: 4) == -2,
          collation: quoted(rows.text(at: 6))))
      indexes[table] = found
    }
    return indexes
  }
}

extension DatabaseTable {
  /// Whether at most one row has the same values in these columns.
  func areUnique(_ columns: [Column]) -> Bool {
    let names = Set(columns.map(\.name.sqlName))
    return names == rowidAlias.map { [$0.name.sqlName] }
      || keyIndexes.contains { Set($0.columns.map(\.name.sqlName)) == names }
  }

  /// The unique indexes that cover all rows and contain only columns that are stored or typed in: keys of rows.
  var keyIndexes: [(columns: [KeyColumn], isPrimary: Bool)] {
    indexes.compactMap { index in
      guard !index.isPartial else { return nil }
      var columns: [KeyColumn] = []
      for term in index.terms {
        guard let name = term.column, let column = column(named: name), !column.isGenerated else { return nil }
        columns.append(KeyColumn(column, collation: term.collation))
      }
      return (columns, index.isPrimary)
    }
  }

  /// The columns of a unique index on exactly these columns; nil if there is none.
  func keyColumns(named names: [String]) -> [KeyColumn]? {
    let wanted = Set(names.map(\.sqlName))
    return keyIndexes.first { Set($0.columns.map(\.name.sqlName)) == wanted }?.columns
  }

  /// Whether these columns are the integer key of the rows.
  func isIntegerKey(_ columns: [String]) -> Bool { columns.map(quoted) == [integerKey] }

  /// Whether these columns are the key that the schema declares.
  func isOwnKey(_ columns: [String]) -> Bool {
    guard case .columns(let own)? = rowKey else { return columns.isEmpty }
    return own.map(\.name.sqlName) == columns.map(\.sqlName)
  }

  /// Sets the key of the rows as an attachment names it.
  ///
  /// - Parameter names: The columns of the key; empty for the key that the schema declares.
  /// - Returns: Whether a usable unique index on exactly these columns exists.
  mutating func identify(by names: [String]) -> Bool {
    guard !names.isEmpty else { return true }
    guard let columns = keyColumns(named: names), columns.allSatisfy(\.hasKnownCollation) else { return false }
    rowKey = .columns(columns)
    return true
  }
}
