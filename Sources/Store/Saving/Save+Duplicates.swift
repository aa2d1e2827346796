// SPDX-License-Identifier: MIT

package import SQLite

/// Enforces unique constraints.
extension Save {
  /// The first row with which an insert of these values would violate a unique constraint; nil if there is none. It may
  /// belong to another entity that shares the constraint.
  ///
  /// - Parameters:
  ///   - values: The same values as for `insert`.
  ///   - related: The same objects as for `insert`. Only to-one relationships in constraints are needed.
  package func existing(
    _ entity: EntityLayout, _ values: [Value?], related: [Int: [RowIdentifier]] = [:]
  ) throws -> RowIdentifier? {
    precondition(values.count == entity.defaults.count, "one value for each attribute of \(entity.entity.name)")
    for constraint in entity.uniqueConstraints {
      let wanted = constraint.properties.map { Self.value(of: $0, entity, values, related) ?? .null }
      if let row = try holder(of: wanted, constraint) { return row }
    }
    return nil
  }

  /// The value that an insert writes to a property's column.
  static func value(
    of property: EntityLayout.Property, _ entity: EntityLayout, _ values: [Value?], _ related: [Int: [RowIdentifier]]
  ) -> Value? {
    switch property {
    case .attribute(let index): values[index] ?? entity.defaults[index]
    case .relationship(let index): related[index]?.first.map { .integer($0.key) }
    case .entityKey, .orderKey: nil
    }
  }

  /// Translates SQLite's constraint error to `StoreError.duplicate`.
  ///
  /// - Parameters:
  ///   - key: The row that `body` updates; nil if it inserts one.
  ///   - changed: The value that `body` writes to a property; nil if it does not write it.
  func refusingDuplicates(
    of entity: EntityLayout, key: Int64?, _ changed: (EntityLayout.Property) -> Value?, in body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.isConstraint {
      let broken = try entity.uniqueConstraints.first { constraint in
        let values = try constraint.properties.map { try changed($0) ?? current($0, entity, key) }
        return try holder(of: values, constraint).map { $0.key != key } ?? false
      }
      throw StoreError(
        .duplicate, "another \(entity.entity.name) has the same \(broken?.words ?? "unique values")",
        recovery: .changeValue,
        subject: StoreError.Subject(entity.entity.name, broken?.names ?? [], key: key), cause: error)
    }
  }

  /// The row with these values of a constraint's properties.
  private func holder(of values: [Value], _ constraint: UniqueConstraint) throws -> RowIdentifier? {
    guard !values.contains(where: \.isNull) else { return nil }
    return try connection.firstRow(constraint.lookupSQL, values) {
      RowIdentifier(entity: Int($0.integer(at: 1)), key: $0.integer(at: 0))
    }
  }

  private func current(_ property: EntityLayout.Property, _ entity: EntityLayout, _ key: Int64?) throws -> Value {
    guard let key, let column = entity.quotedColumn(of: property) else { return .null }
    let sql = "SELECT \(column) FROM \(entity.quotedTable) WHERE Z_PK = ?1"
    return try connection.firstRow(sql, [.integer(key)]) { $0.value(at: 0) } ?? .null
  }
}
