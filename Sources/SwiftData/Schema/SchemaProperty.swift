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

/// Several attributes whose values together name one object at most.
protocol UniquenessMetadata { var keyPaths: [[AnyKeyPath]] { get } }
/// Attributes that are looked up together.
protocol IndexMetadata { var keyPaths: [[AnyKeyPath]] { get } }

extension Schema {
  /// `#Unique`.
  public final class Unique<T: PersistentModel>: SchemaProperty, UniquenessMetadata, @unchecked Sendable {
    // Unchecked: key paths are immutable, and the variables are not changed once the schema is in use.

    public var name = "Unique"
    public var originalName = "Unique"
    public var valueType: any Any.Type = T.self
    public var isUnique: Bool { true }
    public let constraints: [[PartialKeyPath<T>]]
    var keyPaths: [[AnyKeyPath]] { constraints }

    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    public static func == (left: Unique, right: Unique) -> Bool { left.constraints == right.constraints }
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    public init(from decoder: any Decoder) throws { throw KeyPathsAreNotCodable.notDecoded(decoder) }
    public func encode(to encoder: any Encoder) throws { throw KeyPathsAreNotCodable.notEncoded(encoder) }
  }

  /// `#Index`.
  public final class Index<T: PersistentModel>: SchemaProperty, IndexMetadata, @unchecked Sendable {
    // Unchecked: key paths are immutable, and the variables are not changed once the schema is in use.

    public enum Types<P: PersistentModel> {
      /// A sorted index, for equality, ranges and order.
      case binary([PartialKeyPath<P>])
      /// A spatial index on Apple's systems; here a sorted one.
      case rtree([PartialKeyPath<P>])

      var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let paths), .rtree(let paths): paths
        }
      }
    }

    public var name = "Index"
    public var originalName = "Index"
    public var valueType: any Any.Type = T.self
    public var isUnique: Bool { false }
    public let indices: [Types<T>]
    var keyPaths: [[AnyKeyPath]] { indices.map(\.keyPaths) }

    public init(_ indices: Types<T>...) { self.indices = indices }
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map(Types.binary) }

    public static func == (left: Index, right: Index) -> Bool { left.keyPaths == right.keyPaths }
    public func hash(into hasher: inout Hasher) { hasher.combine(keyPaths) }

    public init(from decoder: any Decoder) throws { throw KeyPathsAreNotCodable.notDecoded(decoder) }
    public func encode(to encoder: any Encoder) throws { throw KeyPathsAreNotCodable.notEncoded(encoder) }
  }
}

/// A schema's file names constraints by properties (`Schema.Entity`); key paths have no form outside their program.
private enum KeyPathsAreNotCodable {
  private static let reason = "key paths cannot leave their program; a schema's file names the properties instead"

  static func notDecoded(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
  }
  static func notEncoded(_ encoder: any Encoder) -> EncodingError {
    .invalidValue("key paths", .init(codingPath: encoder.codingPath, debugDescription: reason))
  }
}
