// SPDX-License-Identifier: MIT

extension Schema {
  /// An attribute of an entity.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    // Unchecked: Apple's shape has variables; they are not changed once the schema is in use.

    /// The name of the attribute.
    public var name: String
    /// The name that the attribute had before it was renamed; its own name where it was not.
    public var originalName: String
    /// What holds for the value.
    public var options: [Option]
    /// The type of the property.
    public var valueType: any Any.Type
    /// The value of a new object; nil for none.
    public var defaultValue: Any?
    /// Tells two versions apart that differ in nothing else.
    public var hashModifier: String?
    private let isDeclaredOptional: Bool

    /// The attribute that `@Attribute` declares; the property gives it name and type.
    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Any.self, defaultValue: nil,
        hashModifier: hashModifier)
    }

    /// Creates an attribute.
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

    /// Always true.
    public var isAttribute: Bool { true }
    /// Always false.
    public var isRelationship: Bool { false }
    /// Whether the value is not stored.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the value may be nil.
    public var isOptional: Bool { isDeclaredOptional || valueType is any OptionalProtocol.Type }
    /// Whether no two objects share a value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer converts the value.
    public var isTransformable: Bool { transformerName != nil }
    /// Whether the value's own encoding is stored as it is.
    public var isCodable: Bool { options.contains(.codable) }

    /// The name and the type.
    public var debugDescription: String { "\(name): \(valueType)" }

    var transformerName: String? { options.lazy.compactMap(\.transformer).first }

    /// Compares names, options, types, hash modifiers, and the stored properties of structures.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      (left as? CompositeAttribute)?.properties == (right as? CompositeAttribute)?.properties && left.name == right.name
        && left.originalName == right.originalName && left.options == right.options
        && String(reflecting: left.valueType) == String(reflecting: right.valueType)
        && left.hashModifier == right.hashModifier
    }

    /// Hashes the name and the options.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }

    // MARK: Coding

    private enum Key: String, CodingKey { case name, originalName, options, valueType, optional, hashModifier }

    /// Decodes an attribute of a schema file. The type is `Any`, because a file cannot carry a type.
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

    /// Encodes the attribute for a schema file; the type by its name.
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

    /// The stored properties of the structure.
    public var properties: [Attribute] = []

    /// Creates an attribute without stored properties.
    public override init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
        hashModifier: hashModifier)
    }

    enum Key: String, CodingKey { case properties }

    /// Decodes an attribute of a schema file, and its stored properties.
    public required init(from decoder: any Decoder) throws {
      properties = try decoder.container(keyedBy: Key.self).decode([Attribute].self, forKey: .properties)
      try super.init(from: decoder)
    }

    /// Encodes the attribute for a schema file, and its stored properties.
    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(properties, forKey: .properties)
    }

    /// The name and the type, and those of the stored properties.
    public override var debugDescription: String {
      "\(super.debugDescription)(\(properties.map(\.debugDescription).joined(separator: ", ")))"
    }
  }
}

extension Schema.Attribute {
  /// A property of an attribute beside its type.
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
    /// Data of more than 100 KiB is stored in a file beside the store and read at the first access. The option has no
    /// effect on attributes of other types.
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
    /// The value is stored as the `Data` that a transformer of this class makes. The class is registered.
    public static func transformable(by type: ValueTransformer.Type) -> Option {
      ValueTransformer.register(type)
      return Option("transformable", transformer: String(reflecting: type))
    }

    /// The name of the option, and of its transformer.
    public var debugDescription: String { transformer.map { "\(name)(\($0))" } ?? name }
  }
}
