// SPDX-License-Identifier: MIT

package struct RelationshipLayout: Sendable {
  package let description: RelationshipDescription
  /// The numbers of the entity that declares it and of the destination entity.
  package let owner: Int
  package let destination: Int
  /// The quoted tables of both ends.
  let ownerTable: String
  let destinationTable: String
  package let storage: Storage
  /// Whether both ends are to-one.
  let isOneToOne: Bool
  /// Whether a view that joins tables presents the destination.
  let destinationIsJoined: Bool

  package var name: String { description.name }

  /// Whether a new row is inserted together with its target. No other row then has a key that would have to change.
  var isWrittenWithRow: Bool {
    guard case .reference = storage else { return false }
    return !isOneToOne
  }

  /// Whether the relationship has no inverse, although the destination's table has its column.
  var isHidden: Bool {
    guard case .inverseReference(_, _, _, let isHidden) = storage else { return false }
    return isHidden
  }

  /// How a relationship is stored. The names are quoted.
  package enum Storage: Sendable, Equatable {
    /// A to-one relationship: the owner's row has the target's primary key. It also has the target's entity number if
    /// the destination has subentities, and an order key if the inverse is ordered.
    case reference(key: String, entity: String?, order: String?)
    /// A to-many relationship whose targets have the owner's key. If hidden, it has no inverse and owns the column.
    case inverseReference(key: String, entity: String?, order: String?, isHidden: Bool)
    /// A many-to-many relationship: a join table, with an order key if the relationship is ordered. A symmetric
    /// relationship stores each pair in both directions.
    case joinTable(table: String, own: String, other: String, order: String?, isSymmetric: Bool)
  }

  /// The columns that store the relationship, and their entity table; nil if a join table stores it.
  var columns: (table: String?, names: [String]) {
    switch storage {
    case .reference(let key, let entity, let order): (ownerTable, [key, entity, order].compactMap { $0 })
    case .inverseReference(let key, let entity, let order, _):
      (destinationTable, [key, entity, order].compactMap { $0 })
    case .joinTable: (nil, [])
    }
  }

  // MARK: Order

  /// The distance between order keys, the same as Core Data's.
  static let orderStep = 1_024

  /// The order key after all others in the rows of `table` where `column` is `key`.
  static func end(_ order: String, of table: String, where column: String, is key: String) -> String {
    "(SELECT ifnull(max(\(order)), 0) + \(orderStep) FROM \(table) WHERE \(column) = \(key))"
  }

  /// The same, or NULL if the key is NULL.
  static func endOrNull(_ order: String, of table: String, where column: String, is key: String) -> String {
    "CASE WHEN \(key) IS NOT NULL THEN \(end(order, of: table, where: column, is: key)) END"
  }

  // MARK: Joins

  /// The temporary table of references that were copied because no index finds them (`copy`, `owner`, `target`).
  static let copiedReferences = "followspot_references"

  /// Joins the targets as `alias` to the owner's row `from`.
  ///
  /// - Parameters:
  ///   - copy: The number of the copied references that are read in place of a to-many relationship's column.
  ///   - isOptional: Keeps an owner without targets.
  package func join(
    from: String, as alias: String, copy: Int? = nil, isOptional: Bool = false
  ) -> String {
    let join = isOptional ? "LEFT JOIN" : "JOIN"
    return switch storage {
    case .inverseReference where copy != nil:
      """
      \(join) temp.\(Self.copiedReferences) \(alias)r ON \(alias)r.copy = \(copy!) AND \(alias)r.owner = \(from).Z_PK \
      \(join) \(destinationTable) \(alias) ON \(alias).Z_PK = \(alias)r.target
      """
    case .reference(let key, _, _): "\(join) \(destinationTable) \(alias) ON \(alias).Z_PK = \(from).\(key)"
    case .inverseReference(let key, _, _, _): "\(join) \(destinationTable) \(alias) ON \(alias).\(key) = \(from).Z_PK"
    case .joinTable(let table, let own, let other, _, _):
      """
      \(join) \(table) \(alias)j ON \(alias)j.\(own) = \(from).Z_PK \
      \(join) \(destinationTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(other)
      """
    }
  }

  /// Joins the owners as `alias` to the target's row `from`.
  func joinOwners(from: String, as alias: String) -> String {
    switch storage {
    case .reference(let key, _, _): "JOIN \(ownerTable) \(alias) ON \(alias).\(key) = \(from).Z_PK"
    case .inverseReference(let key, _, _, _): "JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(from).\(key)"
    case .joinTable(let table, let own, let other, _, _):
      """
      JOIN \(table) \(alias)j ON \(alias)j.\(other) = \(from).Z_PK \
      JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(own)
      """
    }
  }

  /// Tables and a condition that select the owners, as `alias`, of the targets whose keys are in the JSON array `?1`.
  /// The targets need not exist any more.
  func owners(as alias: String) -> (tables: String, condition: String) {
    let keys = "IN (SELECT value FROM json_each(?1))"
    return switch storage {
    case .reference(let key, _, _): ("\(ownerTable) \(alias)", "\(alias).\(key) \(keys)")
    case .inverseReference(let key, _, _, _):
      (
        "\(destinationTable) \(alias)t JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)t.\(key)",
        "\(alias)t.Z_PK \(keys)"
      )
    case .joinTable(let table, let own, let other, _, _):
      (
        "\(table) \(alias)j JOIN \(ownerTable) \(alias) ON \(alias).Z_PK = \(alias)j.\(own)",
        "\(alias)j.\(other) \(keys)"
      )
    }
  }

  /// The ORDER BY terms of the targets `alias`: the order key if the relationship is ordered, then the primary key.
  package func order(of alias: String) -> [String] {
    switch storage {
    case .reference: []
    case .inverseReference(_, _, let order, _): (order.map { ["\(alias).\($0)"] } ?? []) + ["\(alias).Z_PK"]
    case .joinTable(_, _, _, let order, _): (order.map { ["\(alias)j.\($0)"] } ?? []) + ["\(alias).Z_PK"]
    }
  }
}
