// SPDX-License-Identifier: MIT

/// The layout of a store: the layouts of its entities, found by number and by name.
package struct StoreLayout: Sendable {
  /// The entity numbers of the history's own tables.
  enum HistoryEntity {
    /// Entities of a model have lower numbers.
    static let first = 16_000
    static let change = 16_001
    static let transaction = 16_002
    static let transactionString = 16_003
  }

  /// The entities, ordered by number.
  package let entities: [EntityLayout]
  /// To-many relationships without an inverse, each with its index in the declaring entity and its subentities.
  let withoutInverse: [(index: Int, relationship: RelationshipLayout)]

  /// The layout of a new store.
  package init(model: ModelDescription) { self.init(model: model, numbers: [:]) }

  /// - Parameters:
  ///   - numbers: The entity numbers of a file, by name. Without them they follow from the model.
  ///   - bitmaps: How exactly change bitmaps follow from the model.
  package init(
    model: ModelDescription, numbers: [String: Int],
    bitmaps: (EntityDescription) -> BitmapAccuracy = { _ in .exact }
  ) {
    let hierarchy = EntityHierarchy(model: model, numbers: numbers)
    var columns = ColumnNames(hierarchy)
    let storages = columns.allocate()
    var layouts: [Int: EntityLayout] = [:]
    for node in hierarchy.nodes {
      let relationships = node.entity.relationships.enumerated().compactMap { index, description in
        storages[ColumnNames.Declared(owner: node.relationshipOwners[index], name: description.name)]
      }
      layouts[node.number] = EntityLayout(
        node, below: layouts[node.superNumber], tableName: columns.tableName(of: node),
        columnNames: columns.attributeColumns(of: node), relationships: relationships, bitmaps: bitmaps(node.entity))
    }
    entities = layouts.values.sorted { $0.number < $1.number }
    withoutInverse = entities.flatMap { entity in
      entity.relationships.enumerated().filter { $1.owner == entity.number && $1.isHidden }.map { ($0, $1) }
    }
  }

  package func entity(number: Int) -> EntityLayout? {
    // Numbers count from 1 without gaps, except in some files of other software.
    if entities.indices.contains(number - 1), entities[number - 1].number == number { return entities[number - 1] }
    return entities.first { $0.number == number }
  }

  package func entity(named name: String) -> EntityLayout? { entities.first { $0.entity.name == name } }

  /// The entity with this name. An exact match takes precedence over one that differs in case.
  package func entity(matching name: String) -> EntityLayout? {
    entity(named: name) ?? entities.first { $0.entity.name.lowercased() == name.lowercased() }
  }

  /// Whether any entity has an attribute with this name, ignoring case.
  package func hasAttribute(_ name: String) -> Bool {
    let lowered = name.lowercased()
    return entities.contains { $0.entity.attributes.contains { $0.name.lowercased() == lowered } }
  }

  /// The number of `ZTOMBSTONE` columns: the largest number of preserved attributes of an entity.
  package var tombstoneColumns: Int { entities.map(\.tombstoneOrder.count).max() ?? 0 }

  var tombstoneNames: [String] { (0..<tombstoneColumns).map { "ZTOMBSTONE\($0)" } }

  /// The index of the inverse relationship in `entity`; nil if there is none.
  package func inverse(of relationship: RelationshipLayout, in entity: EntityLayout) -> Int? {
    relationship.description.inverse.flatMap { entity.entity.relationship(named: $0) }
  }
}
