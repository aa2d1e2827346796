// SPDX-License-Identifier: MIT

/// The values of a snapshot by property name, as the snapshot itself encodes them.
enum SnapshotValues {
  static func of(_ snapshot: some DataStoreSnapshot) throws -> [String: Any] {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
    let encoder = KeyedValues()
    try snapshot.encode(to: encoder)
    return encoder.values
  }
}

/// Takes what is encoded under keys as it is.
private final class KeyedValues: Encoder {
  var values: [String: Any] = [:]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("a snapshot is encoded by the names of properties")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    preconditionFailure("a snapshot is encoded by the names of properties")
  }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: KeyedValues
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}
    mutating func encode(_ value: some Encodable, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Bool, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: String, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Double, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Float, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Int, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Int8, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Int16, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Int32, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: Int64, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: UInt, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { encoder.values[key.stringValue] = value }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { encoder.values[key.stringValue] = value }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { preconditionFailure("a property is encoded as one value") }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      preconditionFailure("a property is encoded as one value")
    }
    mutating func superEncoder() -> any Encoder { encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}
