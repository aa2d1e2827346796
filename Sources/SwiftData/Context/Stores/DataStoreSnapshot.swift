// SPDX-License-Identifier: MIT

/// What a value in a snapshot conforms to.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one object as a store takes and gives them.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the object.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Copies the values of an object out of its backing data.
  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
  /// The same values under another identifier, with identifiers of related objects replaced by their new ones.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The coding keys of a snapshot: the identifier, and one key for each property.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The key of the object's identifier.
  case persistentIdentifier
  /// The key of the property of that name.
  case modeledProperty(String)

  /// The text of the key.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }
  /// Always nil: keys are texts.
  public var intValue: Int? { nil }

  /// The key of that text; any text but `persistentIdentifier` is the name of a property.
  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }
  /// Always nil: keys are texts.
  public init?(intValue: Int) { return nil }
}
