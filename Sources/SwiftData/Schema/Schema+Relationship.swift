// SPDX-License-Identifier: MIT

extension Schema {
  /// A relationship of an entity.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    // Unchecked: Apple's shape has variables; they are not changed once the schema is in use.

    /// What becomes of related objects when an object is deleted.
    public enum DeleteRule: String, Codable, Sendable {
      /// They keep pointing at nothing.
      case noAction
      /// They forget the deleted object.
      case nullify
      /// They are deleted too.
      case cascade
      /// While there are any, the save is refused.
      case deny
    }

    /// A property of a relationship beside its destination.
    public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
      let name: String
      /// No two objects refer to the same one.
      public static var unique: Option { Option(name: "unique") }
      /// The name of the option.
      public var debugDescription: String { name }
    }

    /// The name of the relationship.
    public var name: String = ""
    /// The name that the relationship had before it was renamed; empty for none.
    public var originalName: String
    /// The property; nil for a relationship of a schema file.
    public var keypath: AnyKeyPath?
    /// What holds for the relationship.
    public var options: [Option]
    /// The type of the property; `Any` for a relationship of a schema file.
    public var valueType: any Any.Type = Any.self
    /// The name of the destination entity.
    public var destination: String = ""
    /// What becomes of related objects when an object is deleted.
    public var deleteRule: DeleteRule
    /// The name of the inverse relationship; nil for none.
    public var inverseName: String?
    /// The property of the inverse relationship; nil where it is not declared here.
    public var inverseKeyPath: AnyKeyPath?
    /// Bounds of a to-many relationship; 0 for none.
    public var minimumModelCount: Int?
    /// The maximum number of objects; 0 or nil for no limit.
    public var maximumModelCount: Int?
    /// Tells two versions apart that differ in nothing else.
    public var hashModifier: String?
    var isDeclaredToOne: Bool?
    private var isDeclaredOptional: Bool?

    /// The relationship that `@Relationship` declares; the property gives it name and destination.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.originalName = originalName ?? ""
      inverseKeyPath = inverse
      self.hashModifier = hashModifier
    }

    /// Always true.
    public var isRelationship: Bool { true }
    /// Whether the property may be nil.
    public var isOptional: Bool { isDeclaredOptional ?? (valueType is any OptionalProtocol.Type) }
    /// Whether no two objects refer to the same one.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the property is one object, not a collection.
    public var isToOneRelationship: Bool {
      isDeclaredToOne ?? !(OptionalTypes.unwrapped(valueType) is any Sequence.Type)
    }

    /// Compares everything but the key paths and the types.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.destination == right.destination
        && left.options == right.options && left.deleteRule == right.deleteRule
        && left.inverseName == right.inverseName && left.isToOneRelationship == right.isToOneRelationship
        && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
        && left.hashModifier == right.hashModifier
    }

    /// Hashes the names and the destination.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
      hasher.combine(inverseName)
    }

    // MARK: Coding

    private enum Key: String, CodingKey {
      case name, originalName, options, destination, deleteRule, inverseName, minimumModelCount, maximumModelCount
      case hashModifier, toOne, optional
    }

    /// Decodes a relationship of a schema file.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      isDeclaredToOne = try container.decode(Bool.self, forKey: .toOne)
      isDeclaredOptional = try container.decode(Bool.self, forKey: .optional)
    }

    /// Encodes the relationship for a schema file.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverseName)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try container.encode(isToOneRelationship, forKey: .toOne)
      try container.encode(isOptional, forKey: .optional)
    }
  }
}
