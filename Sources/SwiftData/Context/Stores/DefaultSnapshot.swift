// SPDX-License-Identifier: MIT

/// The values of one object by property name; related objects by their identifiers.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  // Unchecked: values of attributes are values of Codable types, copied out of the object.

  /// The identifier of the object.
  public let persistentIdentifier: PersistentIdentifier
  /// Attributes as they are, to-one relationships as an identifier or nil, to-many ones as an array of identifiers.
  let values: [String: Any]

  init(_ identifier: PersistentIdentifier, _ values: [String: Any]) {
    persistentIdentifier = identifier
    self.values = values
  }

  /// Copies the values of an object of this module.
  public init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    guard let state = backingData._state else {
      preconditionFailure("only backings of this module can be copied into a default snapshot")
    }
    self.init(state)
  }

  init(_ state: _ModelState) {
    var values: [String: Any] = [:]
    for property in state.type.properties where property.isStored {
      switch property.kind {
      case .attribute: values[property.name] = try? state.any(at: property.index)
      case .toOne: values[property.name] = state.target(at: property.index)?.persistentModelID
      case .toMany: values[property.name] = state.models(at: property.index).map(\.persistentModelID)
      }
    }
    self.init(state.identifier, values)
  }

  /// The same values under another identifier, with identifiers of related objects replaced by their new ones.
  ///
  /// - Parameter remappedIdentifiers: The new identifiers of related objects by the old ones; nil to keep all.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    let renamed = remappedIdentifiers ?? [:]
    return DefaultSnapshot(
      persistentIdentifier,
      values.mapValues { value in
        if let identifier = value as? PersistentIdentifier { return renamed[identifier] ?? identifier }
        if let identifiers = value as? [PersistentIdentifier] { return identifiers.map { renamed[$0] ?? $0 } }
        return value
      })
  }

  // MARK: Coding

  /// Decodes what `encode(to:)` writes. The model class has to be in use already.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let type = ModelType.named(identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "no model class named \(identifier.entityName) is in use")
    }
    var values: [String: Any] = [:]
    for property in type.properties where property.isStored {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) else { continue }
      switch property.kind {
      case .attribute:
        guard let decodable = property.valueType as? any Decodable.Type else { continue }
        values[property.name] = try container.decode(decodable, forKey: key)
      case .toOne: values[property.name] = try container.decodeIfPresent(PersistentIdentifier.self, forKey: key)
      case .toMany: values[property.name] = try container.decode([PersistentIdentifier].self, forKey: key)
      }
    }
    self.init(identifier, values)
  }

  /// Encodes the identifier, and each value under the name of its property.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let encodable = value as? any Encodable else { continue }
      try container.encode(encodable, forKey: .modeledProperty(name))
    }
  }
}
