// SPDX-License-Identifier: MIT

internal import SQLite

/// Finds the keys that a type decodes, by decoding it from examples of its values.
final class KeyProbe: KeyedValueSource {
  private var keys: [String] = []
  var allKeys: [String] { [] }

  /// The keys in the order of decoding, as far as it succeeds; empty for a type that is not decoded by keys.
  static func keys(of type: any Decodable.Type) -> [String] {
    let probe = KeyProbe()
    _ = try? type.init(from: KeyedValueDecoder(source: probe))
    return probe.keys
  }

  private func note(_ key: any CodingKey) {
    if !keys.contains(key.stringValue) { keys.append(key.stringValue) }
  }

  func contains(_ key: any CodingKey) -> Bool {
    note(key)
    return false
  }

  func isNil(_ key: any CodingKey) -> Bool {
    note(key)
    return true
  }

  func value<Content: Decodable>(_ type: Content.Type, _ key: any CodingKey) throws -> Content {
    note(key)
    if let value = Self.example(of: type) as? Content { return value }
    return try Content(from: KeyedValueDecoder(source: KeyProbe()))
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
}
