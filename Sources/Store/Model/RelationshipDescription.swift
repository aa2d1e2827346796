// SPDX-License-Identifier: MIT

package struct RelationshipDescription: Sendable, Equatable {
  /// What happens to the related objects when the owner is deleted.
  package enum DeleteRule: String, Codable, Sendable, CaseIterable {
    /// Their references to the deleted object are removed.
    case nullify
    /// They are deleted too.
    case cascade
    /// The save is rejected while there are any.
    case deny
    /// They keep dangling references.
    case noAction
  }

  package var name: String
  /// The destination entity. The objects may belong to its subentities.
  package var destination: String
  package var isToMany: Bool
  /// Whether the objects of a to-many relationship are ordered.
  package var isOrdered: Bool
  var isOptional: Bool
  /// The name of the inverse relationship; nil if there is none.
  package var inverse: String?
  package var deleteRule: DeleteRule
  /// The minimum and maximum number of objects of a to-many relationship; nil for no bound.
  var minimumCount: Int?
  var maximumCount: Int?
  /// The name in the earlier model, if it was renamed.
  package var originalName: String?
  /// Changes the model's digest although nothing else changes; SwiftData's `hashModifier`.
  var modifier: String?
  /// Whether it is a foreign key of an ordinary database, declared or inferred. Its rows say little without the related
  /// names.
  package var isForeignKey = false
  /// Whether at most one row has the same foreign key.
  package var isUnique = false
  /// Whether the foreign key is the primary key of its row, too: both rows are one thing.
  package var isPrimaryKey = false
  /// The columns of the foreign key, if another column says of which table they hold keys; nil if they always mean the same.
  /// An object is related along one of the relationships with the same columns.
  package var choice: String?

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
