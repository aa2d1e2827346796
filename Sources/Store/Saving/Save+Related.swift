// SPDX-License-Identifier: MIT

internal import SQLite

/// Relationships of a save. Both ends change together, and both are in the history. The end with a key sets that key's
/// bit, and a to-many end sets its own bit alone.
extension Save {
  /// Sets the related objects of a relationship, in this order if it is ordered.
  ///
  /// - Returns: Whether the row exists and something changed.
  /// - Throws: `StoreError.invalidValue` for an unknown target or one of another entity, `.duplicate` for a unique
  ///   to-one end. Some targets may have changed by then, so the save must be abandoned.
  @discardableResult
  package func setTargets(
    _ entity: EntityLayout, key: Int64, _ relationship: Int, _ targets: [RowIdentifier]
  ) throws -> Bool {
    guard try store.exists(entity, key: key) else { return false }
    try check(targets, entity, relationship, key: key)
    let layout = entity.relationships[relationship]
    let row = RowIdentifier(entity: entity.number, key: key)
    let before = try store.targets(of: layout, from: key)
    let isOrdered = layout.description.isOrdered
    guard isOrdered ? before != targets : Set(before) != Set(targets) else { return false }
    let wanted = Set(targets)
    for target in before where !wanted.contains(target) { try unlink(row, entity, relationship, target) }
    let kept = Set(before).intersection(wanted)
    for target in targets where !kept.contains(target) { try link(row, entity, relationship, target) }
    if isOrdered { try writeOrder(of: targets, from: row, layout) }
    constraints.addCount(row, relationship, layout)
    return true
  }

  /// Connects a row that was just inserted. To-one relationships were written with the row, but not their inverses.
  func connect(_ row: RowIdentifier, _ entity: EntityLayout, _ relationship: Int, _ targets: [RowIdentifier]) throws {
    let layout = entity.relationships[relationship]
    for target in targets {
      if layout.isWrittenWithRow {
        try linkInverse(layout, target, to: row)
      } else {
        try link(row, entity, relationship, target)
      }
    }
    if layout.description.isOrdered { try writeOrder(of: targets, from: row, layout) }
  }

  /// Checks that the targets exist and belong to the right entity.
  ///
  /// - Parameter key: The row that will refer to them; nil if it is not inserted yet.
  func check(_ targets: [RowIdentifier], _ entity: EntityLayout, _ relationship: Int, key: Int64? = nil) throws {
    let layout = entity.relationships[relationship]
    let name = "\(entity.entity.name).\(layout.name)"
    func refusal(_ reason: String) -> StoreError {
      .invalidValue(name + reason, StoreError.Subject(entity.entity.name, [layout.name], key: key))
    }
    guard targets.count <= 1 || layout.description.isToMany else {
      throw refusal(" leads to one object at most")
    }
    guard Set(targets).count == targets.count else {
      throw refusal(" cannot lead to one object twice")
    }
    guard let destination = store.layout.entity(number: layout.destination) else { return }
    for target in targets {
      guard let found = store.layout.entity(number: target.entity), destination.includes(found) else {
        throw refusal(" leads to objects of \(destination.entity.name) only")
      }
      guard try isPresent(target) || store.exists(found, key: target.key) else {
        throw refusal(": there is no \(found.entity.name)/p\(target.key)")
      }
    }
  }

  // MARK: One connection

  private func link(_ row: RowIdentifier, _ entity: EntityLayout, _ relationship: Int, _ target: RowIdentifier) throws {
    let layout = entity.relationships[relationship]
    switch layout.storage {
    case .reference:
      // The earlier object of a one-to-one relationship is disconnected.
      if let (other, inverseIndex) = inverse(of: layout, in: target),
        !other.relationships[inverseIndex].description.isToMany
      {
        for earlier in try store.targets(of: other.relationships[inverseIndex], from: target.key) where earlier != row {
          try unlink(target, other, inverseIndex, earlier)
        }
      }
      try write(layout, into: row, target)
      try touch(row, keyProperties(layout, relationship))
      try linkInverse(layout, target, to: row)
    case .inverseReference(_, _, _, let isHidden):
      if !isHidden, let (other, inverseIndex) = inverse(of: layout, in: target) {
        for owner in try store.targets(of: other.relationships[inverseIndex], from: target.key) {
          try recordLoss(by: owner, layout, relationship)
        }
        try touch(target, keyProperties(other.relationships[inverseIndex], inverseIndex))
        constraints.addCount(target, inverseIndex, other.relationships[inverseIndex])
      } else if isHidden, let owner = try hiddenOwner(of: target, layout) {
        try recordLoss(by: owner, layout, relationship)
      }
      try writeOwner(layout, into: target, row)
      try touch(row, [.relationship(relationship)])
    case .joinTable(_, _, _, _, let isSymmetric):
      try pair(layout, row, target)
      if isSymmetric, row.key != target.key { try pair(layout, target, row) }
      try touch(row, [.relationship(relationship)])
      if let (entity, inverseIndex) = inverse(of: layout, in: target) {
        try touch(target, [.relationship(inverseIndex)])
        constraints.addCount(target, inverseIndex, entity.relationships[inverseIndex])
      }
    }
  }

  func unlink(
    _ row: RowIdentifier, _ entity: EntityLayout, _ relationship: Int, _ target: RowIdentifier
  ) throws {
    let layout = entity.relationships[relationship]
    switch layout.storage {
    case .reference:
      try write(layout, into: row, nil)
      try touch(row, keyProperties(layout, relationship))
      constraints.addCount(row, relationship, layout)
      guard let (other, inverseIndex) = inverse(of: layout, in: target) else { return }
      if case .reference = other.relationships[inverseIndex].storage {
        try write(other.relationships[inverseIndex], into: target, nil)
        try touch(target, keyProperties(other.relationships[inverseIndex], inverseIndex))
      } else {
        try touch(target, [.relationship(inverseIndex)])
      }
      constraints.addCount(target, inverseIndex, other.relationships[inverseIndex])
    case .inverseReference(_, _, _, let isHidden):
      try writeOwner(layout, into: target, nil)
      if !isHidden, let (other, inverseIndex) = inverse(of: layout, in: target) {
        try touch(target, keyProperties(other.relationships[inverseIndex], inverseIndex))
        constraints.addCount(target, inverseIndex, other.relationships[inverseIndex])
      }
      try touch(row, [.relationship(relationship)])
    case .joinTable(let table, let own, let other, _, let isSymmetric):
      try unpair(table, own, other, row.key, target.key)
      if isSymmetric { try unpair(table, own, other, target.key, row.key) }
      try touch(row, [.relationship(relationship)])
      if let (entity, inverseIndex) = inverse(of: layout, in: target) {
        try touch(target, [.relationship(inverseIndex)])
        constraints.addCount(target, inverseIndex, entity.relationships[inverseIndex])
      }
    }
    constraints.addCount(row, relationship, layout)
  }

  private func linkInverse(_ layout: RelationshipLayout, _ target: RowIdentifier, to row: RowIdentifier) throws {
    guard let (other, inverseIndex) = inverse(of: layout, in: target) else { return }
    let inverse = other.relationships[inverseIndex]
    if case .reference = inverse.storage {
      try write(inverse, into: target, row)
      try touch(target, keyProperties(inverse, inverseIndex))
    } else {
      try touch(target, [.relationship(inverseIndex)])
    }
    constraints.addCount(target, inverseIndex, inverse)
  }

  /// Records that an owner loses an object of a to-many relationship.
  func recordLoss(by owner: RowIdentifier, _ layout: RelationshipLayout, _ relationship: Int) throws {
    try touch(owner, [.relationship(relationship)])
    constraints.addCount(owner, relationship, layout)
  }

  private func inverse(
    of layout: RelationshipLayout, in target: RowIdentifier
  ) -> (entity: EntityLayout, relationship: Int)? {
    guard let entity = store.layout.entity(number: target.entity),
      let index = store.layout.inverse(of: layout, in: entity)
    else { return nil }
    return (entity, index)
  }

  private func keyProperties(_ layout: RelationshipLayout, _ relationship: Int) -> [EntityLayout.Property] {
    guard case .reference(_, let entity, let order) = layout.storage else { return [.relationship(relationship)] }
    return [.relationship(relationship)] + (entity == nil ? [] : [.entityKey(relationship)])
      + (order == nil ? [] : [.orderKey(relationship)])
  }

  // MARK: Columns

  /// Writes the key of a to-one relationship. In an ordered inverse, the object is appended.
  private func write(_ layout: RelationshipLayout, into row: RowIdentifier, _ target: RowIdentifier?) throws {
    guard case .reference(let key, let entity, let order) = layout.storage else { return }
    try write(key, entity, order, of: layout.ownerTable, into: row, target)
  }

  private func writeOwner(_ layout: RelationshipLayout, into target: RowIdentifier, _ owner: RowIdentifier?) throws {
    guard case .inverseReference(let key, let entity, let order, _) = layout.storage else { return }
    try write(key, entity, order, of: layout.destinationTable, into: target, owner)
  }

  private func write(
    _ key: String, _ entity: String?, _ order: String?, of table: String, into row: RowIdentifier,
    _ target: RowIdentifier?
  ) throws {
    var assignments = ["\(key) = ?2"]
    if let entity { assignments.append("\(entity) = ?3") }
    if let order {
      assignments.append("\(order) = \(RelationshipLayout.endOrNull(order, of: table, where: key, is: "?2"))")
    }
    let sql = "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1"
    var values: [Value] = [.integer(row.key)]
    if let target {
      values.append(.integer(target.key))
      if entity != nil { values.append(.integer(Int64(target.entity))) }
    }
    guard let layout = store.layout.entity(number: row.entity) else {
      try connection.run(sql, values)
      return
    }
    try refusingDuplicates(of: layout, key: row.key) { property in
      guard let target, layout.quotedColumn(of: property) == key else { return nil }
      return .integer(target.key)
    } in: {
      try connection.run(sql, values)
    }
  }

  func hiddenOwner(of target: RowIdentifier, _ layout: RelationshipLayout) throws -> RowIdentifier? {
    guard case .inverseReference(let key, _, _, _) = layout.storage else { return nil }
    return try connection.firstRow(
      """
      SELECT o.Z_PK, o.Z_ENT FROM \(layout.destinationTable) t JOIN \(layout.ownerTable) o ON o.Z_PK = t.\(key) \
      WHERE t.Z_PK = ?1
      """, [.integer(target.key)]
    ) { RowIdentifier(entity: Int($0.integer(at: 1)), key: $0.integer(at: 0)) }
  }

  // MARK: Join tables

  /// Inserts a pair into the join table, after all others of each ordered end.
  private func pair(_ layout: RelationshipLayout, _ row: RowIdentifier, _ target: RowIdentifier) throws {
    guard case .joinTable(let table, let own, let other, let order, let isSymmetric) = layout.storage else { return }
    var columns = [own, other]
    var values = ["?1", "?2"]
    if let order {
      columns.append(order)
      values.append(RelationshipLayout.end(order, of: table, where: own, is: "?1"))
    }
    if !isSymmetric, let (entity, inverseIndex) = inverse(of: layout, in: target),
      case .joinTable(_, _, _, let order?, _) = entity.relationships[inverseIndex].storage
    {
      columns.append(order)
      values.append(RelationshipLayout.end(order, of: table, where: other, is: "?2"))
    }
    try connection.run(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))",
      [.integer(row.key), .integer(target.key)])
  }

  func unpair(_ table: String, _ own: String, _ other: String, _ key: Int64, _ target: Int64) throws {
    try connection.run(
      "DELETE FROM \(table) WHERE \(own) = ?1 AND \(other) = ?2", [.integer(key), .integer(target)])
  }

  // MARK: Order

  /// Writes the order keys of all targets. Targets whose order key changed are updated too, if they store it.
  private func writeOrder(of targets: [RowIdentifier], from row: RowIdentifier, _ layout: RelationshipLayout) throws {
    for (index, target) in targets.enumerated() {
      var values: [Value] = [.integer(Int64((index + 1) * RelationshipLayout.orderStep)), .integer(target.key)]
      let sql: String
      switch layout.storage {
      case .inverseReference(_, _, let order?, _):
        sql = "UPDATE \(layout.destinationTable) SET \(order) = ?1 WHERE Z_PK = ?2 AND \(order) IS NOT ?1"
      case .joinTable(let table, let own, let other, let order?, _):
        sql = "UPDATE \(table) SET \(order) = ?1 WHERE \(other) = ?2 AND \(own) = ?3 AND \(order) IS NOT ?1"
        values.append(.integer(row.key))
      case .reference, .inverseReference, .joinTable: return
      }
      if try connection.run(sql, values) > 0, case .inverseReference(_, _, _, false) = layout.storage,
        let (_, inverseIndex) = inverse(of: layout, in: target)
      {
        try touch(target, [.orderKey(inverseIndex)])
      }
    }
    if let entity = store.layout.entity(number: row.entity), let index = entity.entity.relationship(named: layout.name)
    {
      try touch(row, [.relationship(index)])
    }
  }
}
