// SPDX-License-Identifier: MIT

/// The model classes of a schema, which a higher folder defines.
protocol SchemaClasses: AnyObject, Sendable {}

/// The entities of a store, found through model classes.
///
/// Destination classes of relationships are included automatically. Subclasses have to be named.
public final class Schema: Hashable, @unchecked Sendable {
  // Unchecked: entities are classes of Apple's shape with variables; they are not changed once a schema is in use.

  /// The version of the schema.
  public let version: Version
  /// The version of the file format.
  public let encodingVersion: Version
  /// The version of the file format that `save(to:)` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)
  /// By name.
  public let entities: [Entity]
  /// The entities by name.
  public let entitiesByName: [String: Entity]
  /// The model classes; nil for a schema without classes, such as one that was loaded from a file.
  let classes: (any SchemaClasses)?
  /// Whether the version was given explicitly.
  let hasOwnVersion: Bool

  init(
    entities: [Entity], classes: (any SchemaClasses)? = nil, version: Version,
    encodingVersion: Version = Schema.schemaEncodingVersion, hasOwnVersion: Bool = true
  ) {
    self.entities = entities.sorted { $0.name < $1.name }
    self.classes = classes
    self.version = version
    self.encodingVersion = encodingVersion
    self.hasOwnVersion = hasOwnVersion
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  /// A schema without entities.
  public convenience init() { self.init(entities: [], version: Version(1, 0, 0), hasOwnVersion: false) }

  /// A schema that describes entities without model classes.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// Compares version and entities.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  /// Hashes the version and the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities)
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and the entities.
  public var debugDescription: String {
    "Schema \(version): " + entities.map(\.debugDescription).joined(separator: "; ")
  }
}

// MARK: Files

extension Schema: Codable {
  private enum Key: String, CodingKey { case version, encodingVersion, entities }

  /// Decodes a schema file. The schema describes entities; no classes belong to it.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      entities: try container.decode([Entity].self, forKey: .entities),
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion))
  }

  /// Encodes the version and the entities.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(version, forKey: .version)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(entities, forKey: .entities)
  }

  /// Writes the schema as JSON.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema that `save(to:)` wrote. It describes entities; no classes belong to it.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}

extension Schema {
  /// A version of a schema, ordered by its three numbers.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// The version of these numbers, none of them negative.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      precondition(major >= 0 && minor >= 0 && patch >= 0, "the numbers of a version are not negative")
      (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// The highest version among the version identifiers of a store's model; nil where none is a version.
    init?(identifiers: [String]) {
      guard let highest = identifiers.compactMap(Version.init).max() else { return nil }
      self = highest
    }

    private init?(_ text: String) {
      let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2],
        major >= 0, minor >= 0, patch >= 0
      else { return nil }
      self.init(major, minor, patch)
    }

    /// The numbers with dots between them.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Compares the first number, then the second, then the third.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }

  /// Describes one property, or one `#Unique` or `#Index`, as `@Model` writes it.
  public struct PropertyMetadata {
    let name: String
    let keypath: AnyKeyPath
    /// Evaluated for each object: each gets its own `UUID()` and `Date()`.
    let makeDefault: () -> Any?
    let metadata: (any SchemaProperty)?
    let isOneWay: Bool

    /// Describes one property, or one `#Unique` or `#Index`.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: @autoclosure @escaping () -> Any? = nil,
      metadata: (any SchemaProperty)? = nil, _isOneWay: Bool = false
    ) {
      self.name = name
      self.keypath = keypath
      makeDefault = defaultValue
      self.metadata = metadata
      isOneWay = _isOneWay
    }
  }
}
