// SPDX-License-Identifier: MIT

internal import SQLite

/// Assigns names to columns and tables as Core Data does: `Z` and the name in capitals, with 1, 2, 3 … after equal
/// names.
struct ColumnNames {
  /// A property, identified by its name and the number of the entity that declares it.
  struct Declared: Hashable {
    let owner: Int
    let name: String
  }

  private let hierarchy: EntityHierarchy
  /// The columns in use, in capitals because SQLite ignores case, by the number of the table's root entity.
  private var taken: [Int: Set<String>] = [:]
  private var takenTables: Set<String> = []
  /// Attribute columns by the property's declaration.
  private var attributes: [Declared: String] = [:]

  init(_ hierarchy: EntityHierarchy) { self.hierarchy = hierarchy }

  /// All entities of a hierarchy share the table of their root.
  func tableName(of node: EntityHierarchy.Node) -> String {
    "Z" + (hierarchy.node(number: node.rootNumber)?.entity.name ?? "").uppercased()
  }

  func attributeColumns(of node: EntityHierarchy.Node) -> [String] {
    node.entity.attributes.enumerated().map { index, attribute in
      attributes[Declared(owner: node.lineage[node.attributeDepths[index]], name: attribute.name)] ?? ""
    }
  }

  /// Assigns all names and returns the layout of each relationship.
  mutating func allocate() -> [Declared: RelationshipLayout] {
    for node in hierarchy.nodes where node.superNumber == 0 {
      taken[node.number] = ["Z_PK", "Z_ENT", "Z_OPT"]
      takenTables.insert(tableName(of: node))
    }
    var storages: [Declared: RelationshipLayout.Storage] = [:]
    for node in hierarchy.nodes {
      let own = ownRelationships(of: node)
      for relationship in own where !relationship.isToMany {
        storages[Declared(owner: node.number, name: relationship.name)] = reference(relationship, of: node)
      }
      for index in EntityLayout.attributeOrder(of: node) where node.attributeDepths[index] == node.lineage.count - 1 {
        let name = node.entity.attributes[index].name
        // The column of a composite's element is named after the element, without the composite.
        let element = elementName(name, of: node) ?? name
        attributes[Declared(owner: node.number, name: name)] = column("Z" + element.uppercased(), in: node)
      }
    }
    // The first end of a many-to-many relationship gives the join table its name. In Core Data's files that is the
    // entity that has subentities, then the one with the lower number.
    let (families, leaves) = (hierarchy.nodes.filter(\.hasSubentities), hierarchy.nodes.filter { !$0.hasSubentities })
    for node in families + leaves {
      for relationship in ownRelationships(of: node) where relationship.isToMany {
        let declared = Declared(owner: node.number, name: relationship.name)
        if storages[declared] == nil { addToMany(relationship, declared, node, &storages) }
      }
    }
    var layouts: [Declared: RelationshipLayout] = [:]
    for node in hierarchy.nodes {
      for relationship in ownRelationships(of: node) {
        let declared = Declared(owner: node.number, name: relationship.name)
        guard let storage = storages[declared], let destination = hierarchy.node(named: relationship.destination)
        else { continue }
        layouts[declared] = RelationshipLayout(
          description: relationship, owner: node.number, destination: destination.number,
          ownerTable: quoted(tableName(of: node)), destinationTable: quoted(tableName(of: destination)),
          storage: storage,
          isOneToOne: !relationship.isToMany && inverse(of: relationship).map { !$0.1.isToMany } ?? false,
          destinationIsJoined: destination.entity.isJoined)
      }
    }
    return layouts
  }

  private func ownRelationships(of node: EntityHierarchy.Node) -> [RelationshipDescription] {
    zip(node.entity.relationships, node.relationshipOwners).filter { $1 == node.number }.map(\.0)
      .sorted { $0.name < $1.name }
  }

  private func elementName(_ flattened: String, of node: EntityHierarchy.Node) -> String? {
    for composite in node.entity.composites {
      for (element, named) in zip(composite.elements, composite.flattened) where named.name == flattened {
        // In Apple's models composites may be nested, and the description names an element by its path.
        return hierarchy.isNumbered ? element.name.split(separator: ".").last.map(String.init) : element.name
      }
    }
    return nil
  }

  private mutating func column(_ plain: String, in node: EntityHierarchy.Node) -> String {
    Self.unused(plain, in: &taken[node.rootNumber, default: []])
  }

  private static func unused(_ plain: String, in taken: inout Set<String>) -> String {
    var name = plain
    var suffix = 0
    while !taken.insert(name).inserted {
      suffix += 1
      name = plain + String(suffix)
    }
    return name
  }

  // MARK: Relationships

  private func inverse(of relationship: RelationshipDescription) -> (owner: Int, RelationshipDescription)? {
    guard let name = relationship.inverse, let node = hierarchy.node(named: relationship.destination),
      let index = node.entity.relationship(named: name)
    else { return nil }
    return (node.relationshipOwners[index], node.entity.relationships[index])
  }

  private mutating func reference(
    _ relationship: RelationshipDescription, of node: EntityHierarchy.Node
  ) -> RelationshipLayout.Storage {
    let name = relationship.name.uppercased()
    let destination = hierarchy.node(named: relationship.destination)
    let isPolymorphic = destination?.hasSubentities ?? false
    let isOrdered = inverse(of: relationship).map { $0.1.isToMany && $0.1.isOrdered } ?? false
    return .reference(
      key: quoted(column("Z" + name, in: node)),
      entity: isPolymorphic ? quoted(column("Z\(destination?.rootNumber ?? 0)_\(name)", in: node)) : nil,
      order: isOrdered ? quoted(column("Z_FOK_" + name, in: node)) : nil)
  }

  private mutating func addToMany(
    _ relationship: RelationshipDescription, _ declared: Declared, _ node: EntityHierarchy.Node,
    _ storages: inout [Declared: RelationshipLayout.Storage]
  ) {
    let name = relationship.name.uppercased()
    guard let destination = hierarchy.node(named: relationship.destination) else { return }
    guard let (inverseOwner, inverse) = inverse(of: relationship) else {
      // There is no inverse relationship, but the destination's table has a column for it all the same.
      let plain = "\(node.number)\(name)"
      let hidden = RelationshipLayout.Storage.inverseReference(
        key: quoted(column("Z" + plain, in: destination)),
        entity: node.hasSubentities ? quoted(column("Z\(node.rootNumber)_\(plain)", in: destination)) : nil,
        order: relationship.isOrdered ? quoted(column("Z_FOK_" + plain, in: destination)) : nil, isHidden: true)
      storages[declared] = hidden
      return
    }
    let inverseDeclared = Declared(owner: inverseOwner, name: inverse.name)
    if case .reference(let key, let entity, let order) = storages[inverseDeclared] {
      storages[declared] = .inverseReference(key: key, entity: entity, order: order, isHidden: false)
      return
    }
    let table = quoted(Self.unused("Z_\(node.number)\(name)", in: &takenTables))
    if inverseDeclared == declared {
      storages[declared] = .joinTable(
        table: table, own: quoted("Z_\(node.number)\(name)"), other: "REFLEXIVE",
        order: relationship.isOrdered ? quoted("Z_FOK_\(node.number)\(name)") : nil, isSymmetric: true)
      return
    }
    // Each end's column is named after the inverse relationship, whose destinations it contains. The name is allocated
    // among the columns of the entity it refers to.
    let ownName = "\(node.number)\(inverse.name.uppercased())"
    let otherName = "\(inverseOwner)\(name)"
    let own = quoted(column("Z_" + ownName, in: node))
    let other = quoted(column("Z_" + otherName, in: destination))
    storages[declared] = .joinTable(
      table: table, own: own, other: other,
      order: relationship.isOrdered ? quoted(column("Z_FOK_" + otherName, in: destination)) : nil, isSymmetric: false)
    storages[inverseDeclared] = .joinTable(
      table: table, own: other, other: own,
      order: inverse.isOrdered ? quoted(column("Z_FOK_" + ownName, in: node)) : nil, isSymmetric: false)
  }
}
