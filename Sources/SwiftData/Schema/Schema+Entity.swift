// SPDX-License-Identifier: MIT

extension Schema {
  /// One entity: a model class as the store sees it.
  public final class Entity: Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    // Unchecked: Apple's shape has variables; they are not changed once the schema is in use.

    /// The name of the entity.
    public var name: String
    /// The entities right below it.
    public var subentities: Set<Entity> = []
    /// The name of the entity above; nil for none.
    public var superentityName: String?
    /// The entity above; nil for none.
    public weak var superentity: Entity?
    /// Those the entity describes itself.
    public var storedProperties: [any SchemaProperty]
    /// Those of the entities above.
    public var inheritedProperties: [any SchemaProperty] = []
    /// Names of attributes that together tell objects apart.
    public var uniquenessConstraints: [[String]] = []
    /// Names of attributes that are looked up together.
    public var indices: [[String]] = []

    /// An entity without properties.
    public init(_ name: String) {
      self.name = name
      storedProperties = []
    }

    /// An entity with these properties.
    public init(_ name: String, properties: any SchemaProperty...) {
      self.name = name
      storedProperties = properties
    }

    /// An entity with these properties, and entities below it.
    public init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.name = name
      self.subentities = Set(subentities)
      storedProperties = properties
      for subentity in subentities {
        subentity.superentityName = name
        subentity.superentity = self
      }
    }

    /// All properties, inherited ones first.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
    /// The attributes, inherited ones included.
    public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
    /// The relationships, inherited ones included.
    public var relationships: Set<Relationship> { Set(properties.compactMap { $0 as? Relationship }) }
    /// The attributes by name.
    public var attributesByName: [String: Attribute] { Self.byName(attributes) }
    /// The relationships by name.
    public var relationshipsByName: [String: Relationship] { Self.byName(relationships) }
    /// The entity's own properties by name.
    public var storedPropertiesByName: [String: any SchemaProperty] { Self.byName(storedProperties) }
    /// The inherited properties by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] { Self.byName(inheritedProperties) }

    private static func byName<Property: SchemaProperty>(_ properties: some Sequence<Property>) -> [String: Property] {
      Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func byName(_ properties: [any SchemaProperty]) -> [String: any SchemaProperty] {
      Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The name, and those of the properties.
    public var debugDescription: String { "\(name)(\(properties.map(\.name).joined(separator: ", ")))" }

    /// Compares names, properties, constraints and indexes.
    public static func == (left: Entity, right: Entity) -> Bool {
      left === right
        || (left.name == right.name && left.superentityName == right.superentityName
          && left.attributesByName == right.attributesByName && left.relationshipsByName == right.relationshipsByName
          && left.uniquenessConstraints == right.uniquenessConstraints && left.indices == right.indices)
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

// MARK: Coding

extension Schema.Entity: Codable {
  private enum Key: String, CodingKey {
    case name, superentityName, attributes, relationships, inheritedAttributes, inheritedRelationships
    case uniquenessConstraints, indices
  }

  /// Decodes an entity of a schema file. The entities above and below are not linked.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(try container.decode(String.self, forKey: .name))
    superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
    storedProperties =
      try container.decode([DecodedAttribute].self, forKey: .attributes).map(\.attribute)
      + container.decode([Schema.Relationship].self, forKey: .relationships)
    inheritedProperties =
      try container.decode([DecodedAttribute].self, forKey: .inheritedAttributes).map(\.attribute)
      + container.decode([Schema.Relationship].self, forKey: .inheritedRelationships)
    uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
    indices = try container.decode([[String]].self, forKey: .indices)
  }

  /// Encodes the entity for a schema file.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(superentityName, forKey: .superentityName)
    try container.encode(storedProperties.compactMap { $0 as? Schema.Attribute }, forKey: .attributes)
    try container.encode(storedProperties.compactMap { $0 as? Schema.Relationship }, forKey: .relationships)
    try container.encode(inheritedProperties.compactMap { $0 as? Schema.Attribute }, forKey: .inheritedAttributes)
    try container.encode(
      inheritedProperties.compactMap { $0 as? Schema.Relationship }, forKey: .inheritedRelationships)
    try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try container.encode(indices, forKey: .indices)
  }
}

/// An attribute of a schema file, of the class that was encoded.
private struct DecodedAttribute: Decodable {
  let attribute: Schema.Attribute

  init(from decoder: any Decoder) throws {
    let isComposite = try decoder.container(keyedBy: Schema.CompositeAttribute.Key.self).contains(.properties)
    attribute = try isComposite ? Schema.CompositeAttribute(from: decoder) : Schema.Attribute(from: decoder)
  }
}
