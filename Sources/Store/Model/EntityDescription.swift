// SPDX-License-Identifier: MIT

/// An entity of a model: its name and its properties in the order in which they were declared.
///
/// `EntityLayout` derives columns, bitmap zones and tombstone columns from this description only.
package struct EntityDescription: Sendable, Equatable {
  package var name: String
  /// The entity whose properties this one inherits and whose table it shares; nil for a root entity.
  package var superentity: String?
  /// The name in the earlier model, if it was renamed.
  package var originalName: String?
  package var attributes: [AttributeDescription]
  package var composites: [CompositeDescription]
  package var relationships: [RelationshipDescription]
  /// Lists of attributes and to-one relationships, by name, whose combined values are unique; SwiftData's `#Unique`.
  /// Elements of composites have names such as `author.place`.
  package var uniqueness: [[String]]
  /// Lists of attributes and to-one relationships, by name, that have a common index; SwiftData's `#Index`.
  package var indexes: [[String]]

  /// The attributes of an ordinary database that are its primary key, and those that refer to other rows.
  package var keyAttributes: Set<String> = []
  package var referenceAttributes: Set<String> = []
  /// Whether a view that joins tables presents the rows, because their keys are not integers.
  var isJoined = false

  package init(
    _ name: String, superentity: String? = nil, originalName: String? = nil,
    attributes: [AttributeDescription] = [], composites: [CompositeDescription] = [],
    relationships: [RelationshipDescription] = [], uniqueness: [[String]] = [], indexes: [[String]] = []
  ) {
    self.name = name
    self.superentity = superentity
    self.originalName = originalName
    self.attributes = attributes
    self.composites = composites
    self.relationships = relationships
    self.uniqueness = uniqueness
    self.indexes = indexes
  }

  /// The index of the attribute with this name. An exact match takes precedence over one that differs in case.
  package func position(matching name: String) -> Int? {
    index(of: name) ?? attributes.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  package func index(of attribute: String) -> Int? { attributes.firstIndex { $0.name == attribute } }

  package func relationship(named name: String) -> Int? { relationships.firstIndex { $0.name == name } }
}

extension EntityDescription: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, superentity, originalName, attributes, composites, relationships, uniqueness, indexes
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(ofNothingBut: Key.self)
    name = try container.decode(String.self, forKey: .name)
    superentity = try container.decodeIfPresent(String.self, forKey: .superentity)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    attributes = try container.decodeIfPresent([AttributeDescription].self, forKey: .attributes) ?? []
    composites = try container.decodeIfPresent([CompositeDescription].self, forKey: .composites) ?? []
    relationships = try container.decodeIfPresent([RelationshipDescription].self, forKey: .relationships) ?? []
    uniqueness = try container.decodeIfPresent([[String]].self, forKey: .uniqueness) ?? []
    indexes = try container.decodeIfPresent([[String]].self, forKey: .indexes) ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(superentity, forKey: .superentity)
    try container.encodeIfPresent(originalName, forKey: .originalName)
    try container.encode(attributes, forKey: .attributes)
    if !composites.isEmpty { try container.encode(composites, forKey: .composites) }
    if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
    if !uniqueness.isEmpty { try container.encode(uniqueness, forKey: .uniqueness) }
    if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
  }
}
