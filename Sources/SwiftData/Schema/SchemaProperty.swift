/// An attribute or a relationship of an entity, or a constraint or index of it.
public protocol SchemaProperty: Codable, Hashable {
  var name: String { get set }
  var originalName: String { get set }
  var valueType: any Any.Type { get set }
  var isAttribute: Bool { get }
  var isRelationship: Bool { get }
  var isTransient: Bool { get }
  var isOptional: Bool { get }
  var isUnique: Bool { get }
}

extension SchemaProperty {
  public var isAttribute: Bool { false }
  public var isRelationship: Bool { false }
  public var isTransient: Bool { false }
  public var isOptional: Bool { valueType is any OptionalProtocol.Type }
}
