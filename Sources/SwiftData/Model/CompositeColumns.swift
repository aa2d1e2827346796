// SPDX-License-Identifier: MIT

internal import SQLite

/// The stored properties of a structure, as their columns hold them.
struct CompositeColumns: KeyedValueSource {
  let values: [Value]
  let elements: [CompositeElement]

  var allKeys: [String] { elements.map(\.name) }

  func contains(_ key: any CodingKey) -> Bool { elements.contains { $0.name == key.stringValue } }

  private func index(of key: any CodingKey) throws -> Int {
    guard let index = elements.firstIndex(where: { $0.name == key.stringValue }) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
    }
    return index
  }

  func isNil(_ key: any CodingKey) throws -> Bool { values[try index(of: key)].isNull }

  func value<Content: Decodable>(_ type: Content.Type, _ key: any CodingKey) throws -> Content {
    let index = try index(of: key)
    var slot = Slot.column(values[index])
    let value = try elements[index].coder.any(&slot)
    guard let content = (value as? Content) ?? (value as? any OptionalProtocol)?.wrappedValue as? Content else {
      throw DecodingError.typeMismatch(
        type, .init(codingPath: [key], debugDescription: "the column holds no \(Content.self)"))
    }
    return content
  }
}
