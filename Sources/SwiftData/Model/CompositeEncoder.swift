// SPDX-License-Identifier: MIT

internal import SQLite

/// Takes a structure apart into the columns of its stored properties.
final class CompositeEncoder: Encoder {
  let elements: [(name: String, coder: ValueCoder)]
  private(set) var values: [Value]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(elements: [(name: String, coder: ValueCoder)]) {
    self.elements = elements
    values = elements.map { _ in .null }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("a structure in columns of its own is encoded by its keys")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    preconditionFailure("a structure in columns of its own is encoded by its keys")
  }

  private func put(_ value: some Encodable, _ key: some CodingKey) throws {
    guard let index = elements.firstIndex(where: { $0.name == key.stringValue }) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [key], debugDescription: "\(key.stringValue) is not a stored property"))
    }
    guard let slot = elements[index].coder.slot(any: value) else {
      throw EncodingError.invalidValue(value, .init(codingPath: [key], debugDescription: "a value of another type"))
    }
    values[index] = try elements[index].coder.encoded(slot)[0]
  }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CompositeEncoder
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}
    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try encoder.put(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try encoder.put(value, key) }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { preconditionFailure("a column holds one value") }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      preconditionFailure("a column holds one value")
    }
    mutating func superEncoder() -> any Encoder { encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}
