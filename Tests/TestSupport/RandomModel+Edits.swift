// SPDX-License-Identifier: MIT

internal import Store

/// Random edits of the model, for migrations.
extension RandomModel {
  /// One to four random edits.
  package mutating func edit() {
    (renames, touched) = (Renames(), [])
    for _ in 0..<number(1...4) {
      switch number(0...13) {
      case 0...1:
        if let index = pick(Array(model.entities.indices)) {
          model.entities[index].attributes.append(attribute(isNew: false))
        }
      case 2: if let (entity, index) = pickAttribute() { model.entities[entity].attributes.remove(at: index) }
      case 3: renameAttribute()
      case 4: changeAttribute()
      case 5: addEntity(isNew: false)
      case 6: removeEntity()
      case 7: renameEntity()
      case 8...9: addRelationship()
      case 10: removeRelationship()
      case 11: renameRelationship()
      case 12: changeRelationship()
      default: renameComposite()
      }
    }
  }

  // MARK: Attributes

  private mutating func pickAttribute() -> (entity: Int, index: Int)? {
    pick(
      model.entities.enumerated().flatMap { entity in
        entity.element.attributes.indices.filter { !touched.contains(entity.element.attributes[$0].name) }
          .map { (entity.offset, $0) }
      })
  }

  private mutating func renameAttribute() {
    guard let (entity, index) = pickAttribute() else { return }
    let old = model.entities[entity].attributes[index].name
    let new = name("Value")
    model.entities[entity].attributes[index].name = new
    model.entities[entity].attributes[index].originalName = old
    renames.properties[old] = new
  }

  /// Widens the type, or changes an option.
  private mutating func changeAttribute() {
    guard let (entity, index) = pickAttribute() else { return }
    var attribute = model.entities[entity].attributes[index]
    touched.insert(attribute.name)
    let wider: [AttributeType: AttributeType] = [
      .integer16: .integer64, .integer32: .double, .integer64: .decimal, .float: .double, .url: .string,
      .strings: .json,
    ]
    if chance(2), attribute.defaultValue == nil, let type = wider[attribute.type] {
      attribute.type = type
    } else {
      var option: AttributeDescription.Option = chance(3) ? .spotlight : .preserveValueOnDeletion
      if attribute.type == .data, !attribute.isPreservedOnDeletion { option = .externalStorage }
      let has = attribute.options.contains(option)
      attribute.options.removeAll { $0 == option }
      if !has { attribute.options.append(option) }
    }
    model.entities[entity].attributes[index] = attribute
  }

  private mutating func renameComposite() {
    let places = model.entities.indices.filter { entity in
      model.entities[entity].composites.contains { !touched.contains($0.name) }
    }
    guard let entity = pick(places),
      let index = model.entities[entity].composites.firstIndex(where: { !touched.contains($0.name) })
    else { return }
    let old = model.entities[entity].composites[index].name
    let new = name("Group")
    model.entities[entity].composites[index].name = new
    model.entities[entity].composites[index].originalName = old
    for element in ["x", "y"] { renames.properties["\(old).\(element)"] = "\(new).\(element)" }
  }

  // MARK: Entities

  private mutating func removeEntity() {
    let supers = Set(model.entities.compactMap(\.superentity))
    let leaves = model.entities.map(\.name).filter { !supers.contains($0) && !touched.contains($0) }
    guard model.entities.count > 2, let name = pick(leaves) else { return }
    model.entities.removeAll { $0.name == name }
    for entity in model.entities.indices {
      model.entities[entity].relationships.removeAll { $0.destination == name }
    }
  }

  private mutating func renameEntity() {
    guard let entity = pick(model.entities.indices.filter { !touched.contains(model.entities[$0].name) }) else {
      return
    }
    let old = model.entities[entity].name
    let new = name("Kind")
    model.entities[entity].name = new
    model.entities[entity].originalName = old
    renames.entities[old] = new
    for other in model.entities.indices {
      if model.entities[other].superentity == old { model.entities[other].superentity = new }
      for index in model.entities[other].relationships.indices
      where model.entities[other].relationships[index].destination == old {
        model.entities[other].relationships[index].destination = new
      }
    }
  }

  // MARK: Relationships

  private mutating func pickRelationship() -> (entity: Int, index: Int)? {
    pick(
      model.entities.enumerated().flatMap { entity in
        entity.element.relationships.indices.filter { !touched.contains(entity.element.relationships[$0].name) }
          .map { (entity.offset, $0) }
      })
  }

  private func inverse(_ relationship: RelationshipDescription) -> (entity: Int, index: Int)? {
    guard let name = relationship.inverse,
      let entity = model.entities.firstIndex(where: { $0.name == relationship.destination }),
      let index = model.entities[entity].relationship(named: name)
    else { return nil }
    return (entity, index)
  }

  /// With its inverse, or, where the inverse's objects hold the keys, without.
  private mutating func removeRelationship() {
    guard let (entity, index) = pickRelationship() else { return }
    let removed = model.entities[entity].relationships.remove(at: index)
    guard removed.inverse != removed.name, let other = inverse(removed) else { return }
    let back = model.entities[other.entity].relationships[other.index]
    guard !touched.contains(back.name) else {
      return model.entities[entity].relationships.insert(removed, at: index)
    }
    if removed.isToMany != back.isToMany, chance(2) {
      model.entities[other.entity].relationships[other.index].inverse = nil
    } else {
      model.entities[other.entity].relationships.remove(at: other.index)
    }
  }

  private mutating func renameRelationship() {
    guard let (entity, index) = pickRelationship() else { return }
    let relationship = model.entities[entity].relationships[index]
    let new = name("Link")
    if relationship.inverse == relationship.name {
      model.entities[entity].relationships[index].inverse = new
    } else if let other = inverse(relationship) {
      model.entities[other.entity].relationships[other.index].inverse = new
    }
    model.entities[entity].relationships[index].name = new
    model.entities[entity].relationships[index].originalName = relationship.name
    renames.properties[relationship.name] = new
  }

  /// Gives or takes the order of a to-many relationship, or gives an inverse where there was none.
  private mutating func changeRelationship() {
    guard let (entity, index) = pickRelationship() else { return }
    let relationship = model.entities[entity].relationships[index]
    if relationship.inverse == nil {
      guard let other = model.entities.firstIndex(where: { $0.name == relationship.destination }) else { return }
      var back = RelationshipDescription(name("Back"), to: model.entities[entity].name, inverse: relationship.name)
      back.isToMany = !relationship.isToMany
      model.entities[entity].relationships[index].inverse = back.name
      model.entities[other].relationships.append(back)
      touched.insert(relationship.name)
    } else if relationship.isToMany, relationship.inverse != relationship.name {
      model.entities[entity].relationships[index].isOrdered.toggle()
      touched.insert(relationship.name)
    }
  }
}
