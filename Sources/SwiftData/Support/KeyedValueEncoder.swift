// SPDX-License-Identifier: MIT

/// Passes each value that a type encodes under a key to a closure, without encoding the value itself.
struct KeyedValueEncoder: Encoder {
  let put: (_ value: any Encodable, _ key: any CodingKey) throws -> Void
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Self.refuse() }
  func singleValueContainer() -> any SingleValueEncodingContainer { Self.refuse() }

  private static func refuse() -> Never { preconditionFailure("columns and snapshots take one value under each key") }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: KeyedValueEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}
    func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.put(value, key) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedValueEncoder.refuse() }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { KeyedValueEncoder.refuse() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}
