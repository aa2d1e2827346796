// SPDX-License-Identifier: MIT

/// Several attributes whose values together name one object at most.
protocol UniquenessMetadata { var keyPaths: [[AnyKeyPath]] { get } }
/// Attributes that are looked up together.
protocol IndexMetadata { var keyPaths: [[AnyKeyPath]] { get } }

extension Schema {
  /// `#Unique`.
  public final class Unique<T: PersistentModel>: SchemaProperty, UniquenessMetadata, @unchecked Sendable {
    // Unchecked: key paths are immutable, and the variables are not changed once the schema is in use.

    /// The keys of Apple's coded form.
    public enum CodingKeys: CodingKey {
      /// The properties of each constraint.
      case constraints
    }

    /// The name of the macro.
    public var name = "Unique"
    /// The name of the macro.
    public var originalName = "Unique"
    /// The class.
    public var valueType: any Any.Type = T.self
    /// Always true.
    public var isUnique: Bool { true }
    /// The properties of each constraint.
    public let constraints: [[PartialKeyPath<T>]]
    var keyPaths: [[AnyKeyPath]] { constraints }

    /// The constraints that `#Unique` declares.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// Compares the key paths.
    public static func == (left: Unique, right: Unique) -> Bool { left.constraints == right.constraints }
    /// Hashes the key paths.
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    /// Throws `DecodingError`: key paths are not coded.
    public init(from decoder: any Decoder) throws {
      throw KeyPathsAreNotCodable.notDecoded(decoder, CodingKeys.constraints)
    }
    /// Throws `EncodingError`: key paths are not coded.
    public func encode(to encoder: any Encoder) throws {
      throw KeyPathsAreNotCodable.notEncoded(encoder, CodingKeys.constraints)
    }
  }

  /// `#Index`.
  public final class Index<T: PersistentModel>: SchemaProperty, IndexMetadata, @unchecked Sendable {
    // Unchecked: key paths are immutable, and the variables are not changed once the schema is in use.

    /// The kinds of index.
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

    /// The keys of Apple's coded form.
    public enum CodingKeys: CodingKey {
      /// The properties of each index, and its kind.
      case indices
    }

    /// The name of the macro.
    public var name = "Index"
    /// The name of the macro.
    public var originalName = "Index"
    /// The class.
    public var valueType: any Any.Type = T.self
    /// Always false.
    public var isUnique: Bool { false }
    /// The properties of each index, and its kind.
    public let indices: [Types<T>]
    var keyPaths: [[AnyKeyPath]] { indices.map(\.keyPaths) }

    /// The indexes that `#Index` declares.
    public init(_ indices: Types<T>...) { self.indices = indices }
    /// The sorted indexes that `#Index` declares.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map(Types.binary) }

    /// Compares the key paths.
    public static func == (left: Index, right: Index) -> Bool { left.keyPaths == right.keyPaths }
    /// Hashes the key paths.
    public func hash(into hasher: inout Hasher) { hasher.combine(keyPaths) }

    /// Throws `DecodingError`: key paths are not coded.
    public init(from decoder: any Decoder) throws {
      throw KeyPathsAreNotCodable.notDecoded(decoder, CodingKeys.indices)
    }
    /// Throws `EncodingError`: key paths are not coded.
    public func encode(to encoder: any Encoder) throws {
      throw KeyPathsAreNotCodable.notEncoded(encoder, CodingKeys.indices)
    }
  }
}

/// A schema's file names constraints by properties (`Schema.Entity`); key paths have no form outside their program.
private enum KeyPathsAreNotCodable {
  private static let reason = "key paths cannot leave their program; a schema's file names the properties instead"

  static func notDecoded(_ decoder: any Decoder, _ key: any CodingKey) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath + [key], debugDescription: reason))
  }
  static func notEncoded(_ encoder: any Encoder, _ key: any CodingKey) -> EncodingError {
    .invalidValue("key paths", .init(codingPath: encoder.codingPath + [key], debugDescription: reason))
  }
}
