/// The entities of a store, found through model classes.
///
/// Classes that relationships lead to belong to it without being named; subclasses have to be named.
public final class Schema: Hashable, @unchecked Sendable {
  // Unchecked: entities are classes of Apple's shape with variables; they are not changed once a schema is in use.

  public let version: Version
  public let encodingVersion: Version
  public static let schemaEncodingVersion = Version(1, 0, 0)
  /// By name.
  public let entities: [Entity]
  public let entitiesByName: [String: Entity]
  /// The classes, superclasses before their subclasses; none of a schema that was loaded from a file.
  let types: [ModelType]
  /// Whether somebody said which version it is.
  let hasOwnVersion: Bool

  public convenience init() { self.init([], version: Version(1, 0, 0)) }

  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(types, version, hasOwnVersion: version != Version(1, 0, 0))
  }

  private init(_ types: [any PersistentModel.Type], _ version: Version, hasOwnVersion: Bool) {
    self.version = version
    self.hasOwnVersion = hasOwnVersion
    encodingVersion = Self.schemaEncodingVersion
    let reachable = Self.reachable(from: types)
    self.types = reachable
    entities = Entity.linked(reachable).sorted { $0.name < $1.name }
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, versionedSchema.versionIdentifier, hasOwnVersion: true)
  }

  public init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.version = version
    encodingVersion = Self.schemaEncodingVersion
    types = []
    hasOwnVersion = true
    self.entities = entities.sorted { $0.name < $1.name }
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  private init(entities: [Entity], version: Version, encodingVersion: Version) {
    self.version = version
    self.encodingVersion = encodingVersion
    types = []
    hasOwnVersion = true
    self.entities = entities
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  private static func reachable(from types: [any PersistentModel.Type]) -> [ModelType] {
    var found: [ModelType] = []
    func add(_ type: ModelType) {
      guard !found.contains(where: { $0 === type }) else { return }
      if let superclass = type.superclass { add(superclass) }
      found.append(type)
      for property in type.properties {
        if let target = property.target { add(ModelType.of(target)) }
      }
    }
    for type in types { add(ModelType.of(type)) }
    return found
  }

  public func entity<Model: PersistentModel>(for type: Model.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The class's bare name.
  public static func entityName<Model: PersistentModel>(for type: Model.Type) -> String { String(describing: type) }

  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities)
  }
}

extension Schema: CustomDebugStringConvertible {
  public var debugDescription: String {
    "Schema \(version): " + entities.map(\.debugDescription).joined(separator: "; ")
  }
}

// MARK: Files

extension Schema: Codable {
  private enum Key: String, CodingKey { case version, encodingVersion, entities }

  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      entities: try container.decode([Entity].self, forKey: .entities),
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion))
  }

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

  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}

extension Schema {
  /// A version of a schema, ordered by its three numbers.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      precondition(major >= 0 && minor >= 0 && patch >= 0, "the numbers of a version are not negative")
      (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }

    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }

  /// What `@Model` tells of one property, or of one `#Unique` or `#Index`.
  public struct PropertyMetadata {
    let name: String
    let keypath: AnyKeyPath
    /// Made anew each time: `UUID()` and `Date()` are not the same for all.
    let makeDefault: () -> Any?
    let metadata: (any SchemaProperty)?
    let isOneWay: Bool

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
