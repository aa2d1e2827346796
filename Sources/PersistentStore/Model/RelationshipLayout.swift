internal import SQLite

/// Where one relationship is in the file.
package struct RelationshipLayout: Sendable {
  package let description: RelationshipDescription
  /// The number of the entity that describes it, and of the one it leads to.
  package let owner: Int
  package let destination: Int
  /// The tables of both ends, quoted.
  package let ownerTable: String
  package let destinationTable: String
  package let storage: Storage
  /// Whether both ends are to-one.
  package let isOneToOne: Bool

  package var name: String { description.name }

  /// Whether a new row is inserted together with its target: no other row holds a key that would have to change.
  var isWrittenWithRow: Bool {
    guard case .reference = storage else { return false }
    return !isOneToOne
  }

  /// Whether only this end describes the relationship, though the other has its column.
  var isHidden: Bool {
    guard case .back(_, _, _, let isHidden) = storage else { return false }
    return isHidden
  }

  /// Columns are quoted.
  package enum Storage: Sendable, Equatable {
    /// A to-one relationship: the target's key in the owner's row, with the target's entity number where the
    /// destination has sub-entities, and the place among the inverse's objects where those are ordered.
    case reference(key: String, entity: String?, order: String?)
    /// A to-many relationship whose targets hold the owner's key. Where no inverse describes the column, it belongs
    /// to this relationship alone.
    case back(key: String, entity: String?, order: String?, isHidden: Bool)
    /// A many-to-many relationship: a table of pairs, with the target's place in this relationship where it is
    /// ordered. A symmetric one keeps each pair in both directions.
    case pairs(table: String, own: String, other: String, order: String?, isSymmetric: Bool)
  }

  /// The columns of an entity's table that serve the relationship, and the table; nil where a table of pairs does.
  var columns: (table: String?, names: [String]) {
    switch storage {
    case .reference(let key, let entity, let order): (ownerTable, [key, entity, order].compactMap { $0 })
    case .back(let key, let entity, let order, _): (destinationTable, [key, entity, order].compactMap { $0 })
    case .pairs: (nil, [])
    }
  }

  // MARK: Order

  /// Places of ordered objects stand so far apart, as Core Data's do.
  static let orderStep = 1_024

  /// The place behind all that have one in the rows of `table` where `column` is `key`.
  static func end(_ order: String, of table: String, where column: String, is key: String) -> String {
    "(SELECT ifnull(max(\(order)), 0) + \(orderStep) FROM \(table) WHERE \(column) = \(key))"
  }

  /// The same, and no place where there is no key.
  static func endOrNull(_ order: String, of table: String, where column: String, is key: String) -> String {
    "CASE WHEN \(key) IS NOT NULL THEN \(end(order, of: table, where: column, is: key)) END"
  }

  // MARK: Joins

  /// Joins the targets, as `alias`, to the owner's row under `from`; what has no target stays with NULLs.
  package func join(from: String, as alias: String) -> String {
    switch storage {
    case .reference(let key, _, _): "LEFT JOIN \(destinationTable) \(alias) ON \(alias).Z_PK = \(from).\(key)"
    case .back(let key, _, _, _): "LEFT JOIN \(destinationTable) \(alias) ON \(alias).\(key) = \(from).Z_PK"
    case .pairs(let table, let own, let other, _, _):
      """
      LEFT JOIN \(table) \(alias)j ON \(alias)j.\(own) = \(from).Z_PK \
      LEFT JOIN \(destinationTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(other)
      """
    }
  }

  /// Joins the owners, as `alias`, to the target's row under `from`.
  package func joinOwners(from: String, as alias: String) -> String {
    switch storage {
    case .reference(let key, _, _): "JOIN \(ownerTable) \(alias) ON \(alias).\(key) = \(from).Z_PK"
    case .back(let key, _, _, _): "JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(from).\(key)"
    case .pairs(let table, let own, let other, _, _):
      """
      JOIN \(table) \(alias)j ON \(alias)j.\(other) = \(from).Z_PK \
      JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(own)
      """
    }
  }

  /// The owners, as `alias`, of the targets with the keys in the JSON array `?1`, which need not be there any more: tables
  /// and condition.
  func owners(as alias: String) -> (tables: String, condition: String) {
    let keys = "IN (SELECT value FROM json_each(?1))"
    return switch storage {
    case .reference(let key, _, _): ("\(ownerTable) \(alias)", "\(alias).\(key) \(keys)")
    case .back(let key, _, _, _):
      (
        "\(destinationTable) \(alias)t JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)t.\(key)",
        "\(alias)t.Z_PK \(keys)"
      )
    case .pairs(let table, let own, let other, _, _):
      (
        "\(table) \(alias)j JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(own)",
        "\(alias)j.\(other) \(keys)"
      )
    }
  }

  /// What orders the targets under `alias`: their place where the relationship is ordered, and their key.
  package func order(of alias: String) -> [String] {
    switch storage {
    case .reference: []
    case .back(_, _, let order, _): (order.map { ["\(alias).\($0)"] } ?? []) + ["\(alias).Z_PK"]
    case .pairs(_, _, _, let order, _): (order.map { ["\(alias)j.\($0)"] } ?? []) + ["\(alias).Z_PK"]
    }
  }
}
