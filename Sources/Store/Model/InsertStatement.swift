// SPDX-License-Identifier: MIT

/// The statement that inserts a row of one entity.
///
/// Its parameters are the primary key, the entity number, 1, the attributes, and the targets that are written with the
/// row.
struct InsertStatement: Sendable {
  /// The parameters for the target of a to-one relationship. Unbound parameters are NULL.
  struct Reference: Sendable {
    let relationship: Int
    let key: Int32
    let entity: Int32?
  }

  let sql: String
  let references: [Reference]

  static let firstAttribute: Int32 = 4

  init(table: String, attributes: [String], relationships: [RelationshipLayout]) {
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"] + attributes
    var values = columns.indices.map { "?\($0 + 1)" }
    var references: [Reference] = []
    var next = Int32(columns.count)
    func parameter() -> Int32 {
      next += 1
      return next
    }
    for (index, relationship) in relationships.enumerated() where relationship.isWrittenWithRow {
      guard case .reference(let key, let entity, let order) = relationship.storage else { continue }
      let reference = Reference(relationship: index, key: parameter(), entity: entity.map { _ in parameter() })
      references.append(reference)
      columns.append(key)
      values.append("?\(reference.key)")
      if let entity, let parameter = reference.entity {
        columns.append(entity)
        values.append("?\(parameter)")
      }
      if let order {
        columns.append(order)
        values.append(RelationshipLayout.endOrNull(order, of: table, where: key, is: "?\(reference.key)"))
      }
    }
    sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    self.references = references
  }
}
