// SPDX-License-Identifier: MIT

/// The target of a field's path: an attribute, possibly of a related object, and possibly keys inside its JSON value.
struct FieldTarget: Equatable, Sendable {
  /// The relationships that the path follows; empty for an attribute of the entity itself.
  let hops: [RelationshipShape]
  let attribute: AttributeShape
  /// Keys inside a JSON value, joined by dots; empty for the whole value.
  let keys: String

  var isToMany: Bool { hops.contains(where: \.isToMany) }
}

extension FieldDefinition {
  /// The maximum number of relationships in a path.
  static let mostHops = 4

  /// Resolves the path from an entity. An attribute whose own name contains dots is found by its full name.
  ///
  /// - Throws: `DefinitionError` at `location` that lists the properties that exist.
  func target(from entity: String, in model: ModelShape, location: String = "path") throws -> FieldTarget {
    var (name, rest) = (entity, path[...])
    var hops: [RelationshipShape] = []
    while let shape = model[name] {
      if let whole = shape.attributes.first(where: { $0.name == rest }) {
        return FieldTarget(hops: hops, attribute: whole, keys: "")
      }
      if let relationship = shape.relationships.first(where: { rest.hasPrefix($0.name + ".") }) {
        guard hops.count < Self.mostHops else {
          throw DefinitionError(location, "\(path) follows more than \(Self.mostHops) relationships")
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
        throw DefinitionError(location, "\(rest) is a relationship: name an attribute behind it, such as \(rest).name")
      }
      throw DefinitionError(
        location, "\(name) has no \(rest); it has \(shape.propertyNames.joined(separator: ", "))")
    }
    throw DefinitionError(location, "the store has no entity \(name)")
  }
}
