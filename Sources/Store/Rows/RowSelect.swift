// SPDX-License-Identifier: MIT

/// An entity's table under an alias in a statement, and its columns as SQL.
package struct TableAlias: Sendable {
  package let entity: EntityLayout
  package let name: String

  package init(_ entity: EntityLayout, as name: String) {
    self.entity = entity
    self.name = name
  }

  /// The table with its alias, as FROM and JOIN name it.
  package var table: String { "\(entity.quotedTable) \(name)" }

  /// The primary key of the row.
  package var key: String { "\(name).Z_PK" }

  /// The number of the row's entity.
  package var entityNumber: String { "\(name).Z_ENT" }

  /// The columns that every row has: its key, its entity's number and its lock number.
  package var rowColumns: [String] { [key, entityNumber, "\(name).Z_OPT"] }

  /// - Parameter attribute: An index of the entity's attributes.
  package func column(_ attribute: Int) -> String { "\(name).\(entity.quotedColumn(attribute))" }

  /// The condition that the row belongs to one of these entities.
  package func isOf(entities numbers: some Collection<Int>) -> String {
    "\(entityNumber) IN (\(numbers.sorted().map(String.init).joined(separator: ", ")))"
  }

  /// Joins the row that has the key, if there is one; NULLs otherwise.
  package func leftJoin(onKey key: String) -> String { "LEFT JOIN \(table) ON \(self.key) = \(key)" }
}

/// A SELECT statement over the rows of one entity's table.
package struct RowSelect: Sendable {
  package let root: TableAlias
  package var columns: [String]
  package var joins: [String] = []
  /// All of them hold for every row that is read.
  package var conditions: [String] = []
  package var order: [String] = []
  /// The maximum number of rows; nil for all.
  package var limit: Int?
  /// How many rows are skipped first.
  package var offset = 0
  /// Whether only the rows are read whose keys are in the JSON array that is bound to `?1`, in its order.
  package var readsKeysOfParameter = false

  package init(_ root: TableAlias, _ columns: [String], where conditions: [String] = []) {
    self.root = root
    self.columns = columns
    self.conditions = conditions
  }

  package var sql: String {
    let source = readsKeysOfParameter ? "json_each(?1) k JOIN \(root.table) ON \(root.key) = k.value" : root.table
    var text = "SELECT \(columns.joined(separator: ", ")) FROM \(source)"
    for join in joins where !join.isEmpty { text += " \(join)" }
    if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
    if !order.isEmpty { text += " ORDER BY " + order.joined(separator: ", ") }
    if limit != nil || offset > 0 { text += " LIMIT \(limit ?? -1) OFFSET \(offset)" }
    return text
  }
}

extension RelationshipLayout {
  /// The targets, as `alias`, of the owner whose key is `owner`: what FROM names, and the condition.
  package func targets(as alias: TableAlias, ofOwner owner: String) -> (from: String, condition: String) {
    switch storage {
    case .reference(let key, _, _): preconditionFailure("\(name) is to-one: \(key) is a column of its owner")
    case .inverseReference(let key, _, _, _): (alias.table, "\(alias.name).\(key) = \(owner)")
    case .joinTable(let pairs, let own, let other, _, _):
      (
        "\(pairs) \(alias.name)j JOIN \(alias.table) ON \(alias.key) = \(alias.name)j.\(other)",
        "\(alias.name)j.\(own) = \(owner)"
      )
    }
  }
}
