/// Where everything is in one store: the layouts of its entities, found by number and by name.
package struct StoreLayout: Sendable {
  /// Entity numbers of the history's own tables.
  enum HistoryEntity {
    /// No entity of a model has this number or a higher one.
    static let first = 16_000
    static let change = 16_001
    static let transaction = 16_002
    static let transactionString = 16_003
  }

  /// Ordered by number.
  package let entities: [EntityLayout]
  /// To-many relationships that no inverse describes, each with its index in the entity that describes it and in all
  /// below.
  let oneWay: [(index: Int, relationship: RelationshipLayout)]

  /// The layout of a new store.
  package init(model: ModelDescription) { self.init(model: model, numbers: [:]) }

  /// - Parameters:
  ///   - numbers: Entity numbers by name, as a file has them; without them they follow from the model.
  ///   - bitmaps: How far the bitmaps of updated attributes follow from the model.
  init(
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
    oneWay = entities.flatMap { entity in
      entity.relationships.enumerated().filter { $1.owner == entity.number && $1.isHidden }.map { ($0, $1) }
    }
  }

  package func entity(number: Int) -> EntityLayout? {
    // Numbers count from 1 without gaps, but for files that say otherwise.
    if entities.indices.contains(number - 1), entities[number - 1].number == number { return entities[number - 1] }
    return entities.first { $0.number == number }
  }

  package func entity(named name: String) -> EntityLayout? { entities.first { $0.entity.name == name } }

  /// The entity of that name, if need be without regard to case.
  package func entity(matching name: String) -> EntityLayout? {
    entity(named: name) ?? entities.first { $0.entity.name.lowercased() == name.lowercased() }
  }

  /// Whether an entity has an attribute of that name, without regard to case.
  package func hasAttribute(_ name: String) -> Bool {
    let lowered = name.lowercased()
    return entities.contains { $0.entity.attributes.contains { $0.name.lowercased() == lowered } }
  }

  /// As many `ZTOMBSTONE` columns as the entity with most preserved attributes needs.
  var tombstoneColumns: Int { entities.map(\.tombstoneOrder.count).max() ?? 0 }

  /// The relationship that leads back, by its index in `entity`; nil where there is none.
  package func inverse(of relationship: RelationshipLayout, in entity: EntityLayout) -> Int? {
    relationship.description.inverse.flatMap { entity.entity.relationship(named: $0) }
  }
}
