/// One relationship of an entity.
package struct RelationshipDescription: Sendable, Equatable {
  /// What becomes of the objects a relationship leads to when its own object is deleted.
  package enum DeleteRule: String, Codable, Sendable, CaseIterable {
    /// They forget the deleted object.
    case nullify
    /// They are deleted too.
    case cascade
    /// While there are any, the save is refused.
    case deny
    /// They keep pointing at nothing.
    case noAction
  }

  package var name: String
  /// The entity it leads to; objects of its sub-entities may be there too.
  package var destination: String
  package var isToMany: Bool
  /// Whether the objects of a to-many relationship have an order of their own.
  package var isOrdered: Bool
  package var isOptional: Bool
  /// The relationship that leads back; nil where there is none.
  package var inverse: String?
  package var deleteRule: DeleteRule
  /// Bounds on the number of objects of a to-many relationship; nil for none.
  package var minimumCount: Int?
  package var maximumCount: Int?
  /// The name in the model before, where it was renamed.
  package var originalName: String?
  /// Makes the model another one though nothing else of it changes; SwiftData's `hashModifier`.
  package var modifier: String?
  /// Whether it is a declared foreign key of an ordinary database. A row there hardly says anything without the names of
  /// the rows that it refers to.
  package var isForeignKey = false

  package init(
    _ name: String, to destination: String, isToMany: Bool = false, isOrdered: Bool = false, isOptional: Bool = true,
    inverse: String? = nil, deleteRule: DeleteRule = .nullify, minimumCount: Int? = nil, maximumCount: Int? = nil,
    originalName: String? = nil, modifier: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.originalName = originalName
    self.modifier = modifier
  }
}

extension RelationshipDescription: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, destination, toMany, ordered, optional, inverse, deleteRule, minimumCount, maximumCount, originalName
    case modifier
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(ofNothingBut: Key.self)
    name = try container.decode(String.self, forKey: .name)
    destination = try container.decode(String.self, forKey: .destination)
    isToMany = try container.decodeIfPresent(Bool.self, forKey: .toMany) ?? false
    isOrdered = try container.decodeIfPresent(Bool.self, forKey: .ordered) ?? false
    isOptional = try container.decodeIfPresent(Bool.self, forKey: .optional) ?? true
    inverse = try container.decodeIfPresent(String.self, forKey: .inverse)
    deleteRule = try container.decodeIfPresent(DeleteRule.self, forKey: .deleteRule) ?? .nullify
    minimumCount = try container.decodeIfPresent(Int.self, forKey: .minimumCount)
    maximumCount = try container.decodeIfPresent(Int.self, forKey: .maximumCount)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    modifier = try container.decodeIfPresent(String.self, forKey: .modifier)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(destination, forKey: .destination)
    if isToMany { try container.encode(true, forKey: .toMany) }
    if isOrdered { try container.encode(true, forKey: .ordered) }
    if !isOptional { try container.encode(false, forKey: .optional) }
    try container.encodeIfPresent(inverse, forKey: .inverse)
    if deleteRule != .nullify { try container.encode(deleteRule, forKey: .deleteRule) }
    try container.encodeIfPresent(minimumCount, forKey: .minimumCount)
    try container.encodeIfPresent(maximumCount, forKey: .maximumCount)
    try container.encodeIfPresent(originalName, forKey: .originalName)
    try container.encodeIfPresent(modifier, forKey: .modifier)
  }
}
