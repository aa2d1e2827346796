// SPDX-License-Identifier: MIT

extension ModelDescription {
  /// Checks that the model can be laid out as tables.
  ///
  /// Entity names become table names and parts of identifiers. So they consist of letters, digits and underscores, and
  /// start with a letter. Attribute names may contain anything but control characters, up to 200 bytes.
  ///
  /// - Throws: `StoreError.invalidModel`.
  package func validate() throws {
    guard !entities.isEmpty else { throw StoreError.invalidModel("the model has no entity") }
    var tables: [String: String] = [:]
    for entity in entities {
      try Self.validate(entityName: entity.name)
      if let other = tables.updateValue(entity.name, forKey: entity.name.uppercased()) {
        throw StoreError.invalidModel("entities \(other) and \(entity.name) would share one table")
      }
    }
    for entity in entities { try validateLineage(of: entity) }
    let hierarchy = EntityHierarchy(model: self)
    for node in hierarchy.nodes {
      try Self.validateProperties(of: node.entity)
      try validateRelationships(of: node, in: hierarchy)
      try Self.validateLists(of: node.entity)
    }
    try validateWidths(of: hierarchy)
  }

  private func validateLineage(of entity: EntityDescription) throws {
    var seen: Set<String> = [entity.name]
    var next = entity.superentity
    while let name = next {
      guard let superentity = self.entity(named: name) else {
        throw StoreError.invalidModel("\(entity.name): there is no superentity \(name)")
      }
      guard seen.insert(name).inserted else {
        throw StoreError.invalidModel("\(entity.name) is its own superentity")
      }
      next = superentity.superentity
    }
  }

  /// - Parameter entity: The entity with all inherited properties.
  private static func validateProperties(of entity: EntityDescription) throws {
    var names: Set<String> = []
    // Composites with a single element of the same name.
    var simple: Set<String> = []
    for composite in entity.composites {
      try validate(propertyName: composite.name, of: entity.name)
      guard !composite.elements.isEmpty else {
        throw StoreError.invalidModel("\(entity.name).\(composite.name) has no elements")
      }
      guard names.insert(composite.name).inserted else {
        throw StoreError.invalidModel("\(entity.name) has two properties named \(composite.name)")
      }
      if composite.flattened.map(\.name) == [composite.name] { simple.insert(composite.name) }
    }
    for attribute in entity.attributes {
      try validate(propertyName: attribute.name, of: entity.name)
      guard names.insert(attribute.name).inserted || simple.remove(attribute.name) != nil else {
        throw StoreError.invalidModel("\(entity.name) has two attributes named \(attribute.name)")
      }
      guard !attribute.isExternal || (attribute.type == .data && !attribute.isUnique) else {
        throw StoreError.invalidModel(
          "\(entity.name).\(attribute.name): external storage is for data that need not be unique")
      }
      if let value = attribute.defaultValue, !attribute.type.accepts(value) {
        throw StoreError.invalidModel(
          "the default of \(entity.name).\(attribute.name) is not of type \(attribute.type.rawValue)")
      }
    }
    for relationship in entity.relationships {
      try validate(propertyName: relationship.name, of: entity.name)
      guard names.insert(relationship.name).inserted else {
        throw StoreError.invalidModel("\(entity.name) has two properties named \(relationship.name)")
      }
    }
  }

  private func validateRelationships(of node: EntityHierarchy.Node, in hierarchy: EntityHierarchy) throws {
    for (relationship, owner) in zip(node.entity.relationships, node.relationshipOwners) where owner == node.number {
      let place = "\(node.entity.name).\(relationship.name)"
      guard let destination = hierarchy.node(named: relationship.destination) else {
        throw StoreError.invalidModel("\(place): there is no entity \(relationship.destination)")
      }
      guard relationship.isToMany || !relationship.isOrdered else {
        throw StoreError.invalidModel("\(place): only a to-many relationship can be ordered")
      }
      let bounds = (relationship.minimumCount ?? 0, relationship.maximumCount ?? .max)
      guard bounds.0 >= 0, bounds.0 <= bounds.1 else {
        throw StoreError.invalidModel("\(place): no count lies between \(bounds.0) and \(bounds.1)")
      }
      guard let name = relationship.inverse else { continue }
      guard let index = destination.entity.relationship(named: name) else {
        throw StoreError.invalidModel("\(place): \(destination.entity.name) has no relationship \(name)")
      }
      let inverse = destination.entity.relationships[index]
      guard inverse.inverse == relationship.name, inverse.destination == node.entity.name,
        destination.relationshipOwners[index] == destination.number
      else {
        throw StoreError.invalidModel(
          "\(place) and \(destination.entity.name).\(name) are not each other's inverse: each names the other, and "
            + "leads to the entity that describes it")
      }
    }
  }

  /// Checks that unique constraints and indexes name properties with a column.
  private static func validateLists(of entity: EntityDescription) throws {
    let external = Set(entity.attributes.filter(\.isExternal).map(\.name))
    let known = Set(entity.attributes.map(\.name) + entity.relationships.filter { !$0.isToMany }.map(\.name))
    for (kind, lists) in [("a unique constraint", entity.uniqueness), ("an index", entity.indexes)] {
      for names in lists {
        guard !names.isEmpty, names.count <= 60, Set(names).count == names.count else {
          throw StoreError.invalidModel("\(entity.name): \(kind) names 1 to 60 properties, each once")
        }
        if let name = names.first(where: external.contains) {
          throw StoreError.invalidModel("\(entity.name): \(kind) names \(name), which is stored externally")
        }
        guard let name = names.first(where: { !known.contains($0) }) else { continue }
        let composite = entity.composites.first { $0.name == name }
        throw StoreError(
          .invalidModel,
          "\(entity.name): \(kind) names \(name), which is not an attribute or to-one relationship of it",
          recovery: composite.map { .chooseElements($0.flattened.map(\.name)) })
      }
    }
  }

  private func validateWidths(of hierarchy: EntityHierarchy) throws {
    for root in hierarchy.nodes where root.superNumber == 0 {
      let family = hierarchy.nodes.filter { $0.rootNumber == root.number }
      // A to-one relationship has at most three columns.
      let attributes = family.reduce(0) { sum, node in
        sum + node.attributeDepths.count(where: { $0 == node.lineage.count - 1 })
      }
      let names = Set(family.map(\.entity.name))
      let references = entities.flatMap { entity in
        entity.relationships.filter {
          $0.isToMany ? $0.inverse == nil && names.contains($0.destination) : names.contains(entity.name)
        }
      }
      let columns = attributes + references.count * 3
      guard columns <= 1_900 else {
        throw StoreError.invalidModel("\(root.entity.name) has \(columns) attributes; a table holds 1900 at most")
      }
    }
  }

  private static func validate(entityName name: String) throws {
    let scalars = name.unicodeScalars
    let isWord = scalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }
    guard let first = scalars.first, first.properties.isAlphabetic, isWord, name.utf8.count <= 100 else {
      throw StoreError.invalidModel(
        "'\(name)' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most")
    }
  }

  private static func validate(propertyName name: String, of entity: String) throws {
    let hasControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard !name.isEmpty, !hasControl, name.utf8.count <= 200 else {
      throw StoreError(
        .invalidModel,
        "\(entity) has a property whose name is empty, longer than 200 bytes or holds control characters",
        recovery: .renameProperty)
    }
  }
}
