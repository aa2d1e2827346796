/// What the path of a field leads to: an attribute, perhaps of a related object, and perhaps the keys inside its JSON.
package struct FieldTarget: Equatable, Sendable {
  /// The relationships on the way; none for an attribute of the entity itself.
  package let hops: [RelationshipShape]
  package let attribute: AttributeShape
  /// Keys inside a JSON value, joined by dots; empty for the whole value.
  package let keys: String

  package var isToMany: Bool { hops.contains(where: \.isToMany) }
}

extension FieldDefinition {
  /// Relationships that one path may follow.
  package static let mostHops = 4

  /// What the path leads to from an entity. An attribute whose own name holds dots is found by its whole name.
  ///
  /// - Throws: `DefinitionError` at `place` that names what is there instead.
  package func target(from entity: String, in model: ModelShape, place: String = "path") throws -> FieldTarget {
    var (name, rest) = (entity, path[...])
    var hops: [RelationshipShape] = []
    while let shape = model[name] {
      if let whole = shape.attributes.first(where: { $0.name == rest }) {
        return FieldTarget(hops: hops, attribute: whole, keys: "")
      }
      if let relationship = shape.relationships.first(where: { rest.hasPrefix($0.name + ".") }) {
        guard hops.count < Self.mostHops else {
          throw DefinitionError(place, "\(path) follows more than \(Self.mostHops) relationships")
        }
        hops.append(relationship)
        name = relationship.destination
        rest = rest.dropFirst(relationship.name.count + 1)
        continue
      }
      if let attribute = shape.attributes.first(where: { rest.hasPrefix($0.name + ".") }) {
        return FieldTarget(hops: hops, attribute: attribute, keys: String(rest.dropFirst(attribute.name.count + 1)))
      }
      if shape.relationships.contains(where: { $0.name == rest }) {
        throw DefinitionError(place, "\(rest) is a relationship: name an attribute behind it, such as \(rest).name")
      }
      throw DefinitionError(
        place, "\(name) has no \(rest); it has \(shape.propertyNames.joined(separator: ", "))")
    }
    throw DefinitionError(place, "the store has no entity \(name)")
  }
}
