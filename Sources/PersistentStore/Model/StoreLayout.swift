/// Where everything is in one store: the layouts of its entities, found by number and by name.
package struct StoreLayout: Sendable {
  /// Entity numbers of the history's own tables.
  enum HistoryEntity {
    static let change = 16_001
    static let transaction = 16_002
    static let transactionString = 16_003
  }

  /// Ordered by number, which counts from 1.
  package let entities: [EntityLayout]
  /// To-many relationships that no inverse describes, each with its index in the entity that describes it and in all
  /// below.
  let oneWay: [(index: Int, relationship: RelationshipLayout)]

  init(model: ModelDescription) {
    let hierarchy = EntityHierarchy(model: model)
    var columns = ColumnNames(hierarchy)
    let storages = columns.allocate()
    entities = hierarchy.nodes.reduce(into: []) { entities, node in
      let relationships = node.entity.relationships.enumerated().compactMap { index, description in
        storages[ColumnNames.Declared(owner: node.relationshipOwners[index], name: description.name)]
      }
      entities.append(
        EntityLayout(
          node, below: node.superNumber > 0 ? entities[node.superNumber - 1] : nil,
          tableName: columns.tableName(of: node), columnNames: columns.attributeColumns(of: node),
          relationships: relationships))
    }
    oneWay = entities.flatMap { entity in
      entity.relationships.enumerated().filter { $1.owner == entity.number && $1.isHidden }.map { ($0, $1) }
    }
  }

  package func entity(number: Int) -> EntityLayout? {
    number >= 1 && number <= entities.count ? entities[number - 1] : nil
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
