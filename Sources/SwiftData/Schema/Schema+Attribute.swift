extension Schema {
  /// An attribute of an entity.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // Unchecked: Apple's shape has variables; they are not changed once the schema is in use.

    public var name: String
    public var originalName: String
    public var options: [Option]
    public var valueType: any Any.Type
    public var defaultValue: Any?
    public var hashModifier: String?
    private let isDeclaredOptional: Bool

    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Any.self, defaultValue: nil,
        hashModifier: hashModifier)
    }

    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      isDeclaredOptional = valueType is any OptionalProtocol.Type
    }

    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { options.contains(.ephemeral) }
    public var isOptional: Bool { isDeclaredOptional || valueType is any OptionalProtocol.Type }
    public var isUnique: Bool { options.contains(.unique) }
    public var isTransformable: Bool { transformerName != nil }
    public var isCodable: Bool { options.contains(.codable) }

    var transformerName: String? { options.lazy.compactMap(\.transformer).first }

    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && String(reflecting: left.valueType) == String(reflecting: right.valueType)
        && left.hashModifier == right.hashModifier
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }

    // MARK: Coding

    private enum Key: String, CodingKey { case name, originalName, options, valueType, optional, hashModifier }

    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      isDeclaredOptional = try container.decode(Bool.self, forKey: .optional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      // A file names a type; it cannot bring it along.
      valueType = Any.self
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(String(describing: valueType), forKey: .valueType)
      try container.encode(isOptional, forKey: .optional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }
  }

  /// A structure of which each stored property has a column of its own.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    // Unchecked: as of `Attribute`.

    public var properties: [Attribute] = []
  }
}

extension Schema.Attribute {
  /// What is asked of an attribute beside its type.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    let name: String
    /// The name under which a value transformer is registered.
    let transformer: String?

    private init(_ name: String, transformer: String? = nil) {
      self.name = name
      self.transformer = transformer
    }

    /// No two objects share a value: inserting one that exists updates the object that holds it.
    public static var unique: Option { Option("unique") }
    /// Data of more than 100 KiB lies in a file beside the store, and is read when it is asked for. To attributes of
    /// other types it means nothing.
    public static var externalStorage: Option { Option("externalStorage") }
    /// Recorded; nothing is encrypted here.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// A delete leaves the value in the history's tombstone.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes are tracked, the value is not stored.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value is meant for full-text search.
    public static var spotlight: Option { Option("spotlight") }
    /// The value's own encoding is stored as it is: it can neither be filtered nor sorted by.
    public static var codable: Option { Option("codable") }

    /// The value is stored as the `Data` that a transformer makes of it.
    ///
    /// - Parameter name: The name that the transformer is registered under, or `Module.Class`.
    public static func transformable(by name: String) -> Option { Option("transformable", transformer: name) }
    public static func transformable(by type: ValueTransformer.Type) -> Option {
      ValueTransformer.register(type)
      return Option("transformable", transformer: String(reflecting: type))
    }

    public var debugDescription: String { transformer.map { "\(name)(\($0))" } ?? name }
  }
}
