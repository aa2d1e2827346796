public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one object as a store takes and gives them.
public protocol DataStoreSnapshot: Codable, Sendable {
  var persistentIdentifier: PersistentIdentifier { get }

  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

public enum DataStoreSnapshotCodingKey: CodingKey {
  case persistentIdentifier
  case modeledProperty(String)

  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }
  public var intValue: Int? { nil }

  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }
  public init?(intValue: Int) { return nil }
}
