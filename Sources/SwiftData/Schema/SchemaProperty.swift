// SPDX-License-Identifier: MIT

/// An attribute or a relationship of an entity, or a constraint or index of it.
public protocol SchemaProperty: Codable, Hashable {
  /// The name of the property.
  var name: String { get set }
  /// The name before the property was renamed.
  var originalName: String { get set }
  /// The type of the property.
  var valueType: any Any.Type { get set }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it is a relationship.
  var isRelationship: Bool { get }
  /// Whether the value is not stored.
  var isTransient: Bool { get }
  /// Whether the value may be nil.
  var isOptional: Bool { get }
  /// Whether no two objects share a value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// False unless the type says otherwise.
  public var isAttribute: Bool { false }
  /// False unless the type says otherwise.
  public var isRelationship: Bool { false }
  /// False unless the type says otherwise.
  public var isTransient: Bool { false }
  /// Whether the type is an optional.
  public var isOptional: Bool { valueType is any OptionalProtocol.Type }
}
