// SPDX-License-Identifier: MIT

/// The values that a `KeyedValueDecoder` reads, by their keys.
protocol KeyedValueSource {
  var allKeys: [String] { get }
  func contains(_ key: any CodingKey) -> Bool
  func isNil(_ key: any CodingKey) throws -> Bool
  func value<Content: Decodable>(_ type: Content.Type, _ key: any CodingKey) throws -> Content
}

/// Decodes a type by its keys alone, each value as it is.
struct KeyedValueDecoder<Source: KeyedValueSource>: Decoder {
  let source: Source
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container<Key>(source: source))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notKeyed }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notKeyed }

  private static var notKeyed: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a structure in columns of its own is decoded by its keys"))
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: Source
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { source.allKeys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { source.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try source.isNil(key) }
    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
      try source.value(type, key)
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw KeyedValueDecoder.notKeyed }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw KeyedValueDecoder.notKeyed
    }
    func superDecoder() throws -> any Decoder { throw KeyedValueDecoder.notKeyed }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw KeyedValueDecoder.notKeyed }
  }
}
