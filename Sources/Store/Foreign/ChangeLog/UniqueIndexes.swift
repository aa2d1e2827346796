// SPDX-License-Identifier: MIT

/// What triggers have to know of the unique indexes of a table: rows that conflict with a new one. The integer key is
/// not among them.
struct UniqueIndexes {
  let columns: [[(column: String, collation: String)]]
  /// The name of an index on expressions alone, or on a generated column; nil if there is none. Triggers cannot compare
  /// them: SQLite computes generated columns of the new row only after the BEFORE UPDATE triggers.
  let onExpressions: String?
  /// Whether a row may enter an index although no column changes, because it is partial or has an expression too.
  let dependOnMore: Bool

  init(of table: DatabaseTable) {
    var columns: [[(column: String, collation: String)]] = []
    var onExpressions: String?
    var dependOnMore = false
    for index in table.indexes {
      if index.isPartial || index.terms.contains(where: \.isExpression) { dependOnMore = true }
      let terms = index.terms.compactMap { term in term.column.map { (column: $0, collation: term.collation) } }
      // A column that is not among those of the table cannot be read.
      if terms.contains(where: { table.column(named: $0.column)?.isGenerated ?? true }) { onExpressions = index.name }
      if terms.isEmpty {
        onExpressions = index.name
      } else if !table.isIntegerKey(terms.map(\.column)) {
        columns.append(terms)
      }
    }
    self.columns = columns
    self.onExpressions = onExpressions
    self.dependOnMore = dependOnMore
  }
}
