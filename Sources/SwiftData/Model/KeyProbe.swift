// SPDX-License-Identifier: MIT

internal import SQLite

/// Which keys a type asks for when it is decoded, found by decoding it from nothing.
struct KeyProbe: Decoder {
  /// The keys that were requested.
  private final class Requests {
    var keys: [String] = []
    var isKeyed = false
  }

  private let requests: Requests?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The keys in the order in which they were asked for, as far as the type could be followed; nil for a type that is
  /// not decoded by keys.
  static func keys(of type: any Decodable.Type) -> [String]? {
    let requests = Requests()
    _ = try? type.init(from: KeyProbe(requests: requests))
    return requests.isKeyed ? requests.keys : nil
  }

  private struct Unknown: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    requests?.isKeyed = true
    return KeyedDecodingContainer(Container<Key>(requests: requests))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unknown() }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let requests: Requests?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    private func note(_ key: Key) {
      guard let requests, !requests.keys.contains(key.stringValue) else { return }
      requests.keys.append(key.stringValue)
    }

    func contains(_ key: Key) -> Bool {
      note(key)
      return false
    }
    func decodeNil(forKey key: Key) throws -> Bool {
      note(key)
      return true
    }

    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
      note(key)
      if let value = (Self.example(of: type) as? Content) { return value }
      return try Content(from: KeyProbe(requests: nil))
    }

    private static func example(of type: Any.Type) -> Any? {
      switch type {
      case is Date.Type: Date(timeIntervalSince1970: 0)
      case is UUID.Type: UUID()
      case is URL.Type: URL(string: "file:///")
      case is Data.Type: Data()
      case is Decimal.Type: Decimal(0)
      case let type as any ExpressibleByArrayLiteral.Type: empty(type)
      case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
      case let type as any CaseIterable.Type: first(type)
      case let type as any ColumnValue.Type: type.init(column: .integer(0)) ?? type.init(column: .text(""))
      default: nil
      }
    }
    private static func empty<Content: ExpressibleByArrayLiteral>(_ type: Content.Type) -> Any { [] as Content }
    private static func empty<Content: ExpressibleByDictionaryLiteral>(_ type: Content.Type) -> Any { [:] as Content }
    private static func first<Content: CaseIterable>(_ type: Content.Type) -> Any? { type.allCases.first }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Unknown() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func superDecoder() throws -> any Decoder { throw Unknown() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unknown() }
  }
}
