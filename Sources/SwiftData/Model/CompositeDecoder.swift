// SPDX-License-Identifier: MIT

internal import SQLite

/// Makes a structure of the columns of its stored properties.
struct CompositeDecoder: Decoder {
  let columns: [Value]
  let elements: [CompositeElement]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notKeyed }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notKeyed }

  private static var notKeyed: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a structure in columns of its own is decoded by its keys"))
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CompositeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.elements.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { decoder.elements.contains { $0.name == key.stringValue } }

    private func index(of key: Key) throws -> Int {
      guard let index = decoder.elements.firstIndex(where: { $0.name == key.stringValue }) else {
        throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
      }
      return index
    }

    func decodeNil(forKey key: Key) throws -> Bool { decoder.columns[try index(of: key)].isNull }

    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
      let index = try index(of: key)
      var slot = Slot.column(decoder.columns[index])
      let value = try decoder.elements[index].coder.any(&slot)
      guard let content = (value as? Content) ?? Self.unwrapped(value) else {
        throw DecodingError.typeMismatch(
          type, .init(codingPath: [key], debugDescription: "the column holds no \(Content.self)"))
      }
      return content
    }

    private static func unwrapped<Content>(_ value: Any) -> Content? {
      guard let optional = value as? any OptionalProtocol else { return nil }
      return optional.wrappedValue as? Content
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw CompositeDecoder.notKeyed }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw CompositeDecoder.notKeyed
    }
    func superDecoder() throws -> any Decoder { throw CompositeDecoder.notKeyed }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw CompositeDecoder.notKeyed }
  }
}
