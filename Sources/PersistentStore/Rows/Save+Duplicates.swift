package import SQLite

/// What a save does about unique constraints.
extension Save {
  /// The row with which an insert of these values would collide; the first one where there are several. It may be of
  /// another entity that shares the constraint.
  ///
  /// - Parameters:
  ///   - values: As `insert` takes them.
  ///   - related: As `insert` takes them; the to-one relationships that constraints name are enough.
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

  /// What an insert writes into a property's column.
  static func value(
    of property: EntityLayout.Property, _ entity: EntityLayout, _ values: [Value?], _ related: [Int: [RowIdentifier]]
  ) -> Value? {
    switch property {
    case .attribute(let index): values[index] ?? entity.defaults[index]
    case .relationship(let index): related[index]?.first.map { .integer($0.key) }
    case .entityKey, .orderKey: nil
    }
  }

  /// Gives SQLite's refusal of a duplicate its meaning.
  ///
  /// - Parameters:
  ///   - key: The row that `body` writes to; nil where it inserts one.
  ///   - changed: What `body` writes into a property; nil where it leaves it.
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
        hint: "give it another value, or change the record that has this one",
        subject: StoreError.Subject(entity.entity, broken?.names ?? [], key: key), cause: error)
    }
  }

  /// The row that holds these values of a constraint's properties.
  private func holder(of values: [Value], _ constraint: UniqueConstraint) throws -> RowIdentifier? {
    guard !values.contains(where: \.isNull) else { return nil }
    let statement = try connection.statement(constraint.lookupSQL)
    defer { statement.reset() }
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    guard try statement.step() else { return nil }
    return RowIdentifier(entity: Int(statement.integer(at: 1)), key: statement.integer(at: 0))
  }

  private func current(_ property: EntityLayout.Property, _ entity: EntityLayout, _ key: Int64?) throws -> Value {
    guard let key, let column = entity.quotedColumn(of: property) else { return .null }
    let statement = try connection.statement("SELECT \(column) FROM \(entity.quotedTable) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.value(at: 0) : .null
  }
}
