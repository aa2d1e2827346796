// SPDX-License-Identifier: MIT

internal import SQLite
@_spi(Reflection) internal import Swift

/// One stored property of a structure that has a column for each.
struct CompositeElement {
  let name: String
  var keyPath: AnyKeyPath?
  let coder: ValueCoder
}

/// A Codable structure of which each stored property has a column of its own.
///
/// The columns are the structure's stored properties. A structure whose own coding uses other keys, or none, is stored
/// as JSON text instead.
final class CompositeCoder<Content: Codable>: BoxedCoder<Content> {
  private let elements: [CompositeElement]

  private init(_ elements: [CompositeElement]) {
    self.elements = elements
    super.init(
      Content.self,
      columns: elements.map { element in
        let column = element.coder.columns[0]
        return Column(name: element.name, type: column.type, isOptional: column.isOptional)
      })
  }

  static func make() -> CompositeCoder<Content>? {
    var elements: [CompositeElement] = []
    var isWhole = true
    let isStruct = _forEachField(of: Content.self) { name, _, type, kind in
      let name = String(cString: name)
      if let coder = CoderFactory.element(name: name, type) {
        elements.append(CompositeElement(name: name, coder: coder))
      } else {
        isWhole = false
      }
      return true
    }
    let keys = KeyProbe.keys(of: Content.self)
    guard isStruct, isWhole, !keys.isEmpty, elements.map(\.name).starts(with: keys) else { return nil }
    _ = _forEachFieldWithKeyPath(of: Content.self) { name, path in
      let name = String(cString: name)
      if let index = elements.firstIndex(where: { $0.name == name }) { elements[index].keyPath = path }
      return true
    }
    return CompositeCoder(elements)
  }

  override var elementTypes: [Any.Type] { elements.map(\.coder.valueType) }

  override func element(of keyPath: AnyKeyPath) -> (index: Int, type: Any.Type)? { element { $0 == keyPath } }

  override func element(of part: KeyPathParts.Part) -> (index: Int, type: Any.Type)? {
    element { KeyPathParts($0)?.parts == [part] }
  }

  private func element(_ isWanted: (AnyKeyPath) -> Bool) -> (index: Int, type: Any.Type)? {
    elements.firstIndex { $0.keyPath.map(isWanted) ?? false }.map { index in
      (index, OptionalTypes.unwrapped(elements[index].coder.valueType))
    }
  }

  override func decoded(_ slot: Slot) throws -> Content {
    switch slot {
    // The JSON text of a store that other software made.
    case .column(.blob(let bytes)) where elements.count > 1: try JSONText.decode(Content.self, from: bytes)
    case .column(let value): try decoded([value])
    case .columns(let values): try decoded(values)
    default: throw UndecodableValue(type: Content.self)
    }
  }

  private func decoded(_ values: [Value]) throws -> Content {
    try Content(from: KeyedValueDecoder(source: CompositeColumns(values: values, elements: elements)))
  }

  override func encode(_ content: Content) throws -> [Value] {
    var values = [Value](repeating: .null, count: elements.count)
    let encoder = KeyedValueEncoder { [elements] value, key in
      func refusal(_ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: [key], debugDescription: reason))
      }
      guard let index = elements.firstIndex(where: { $0.name == key.stringValue }) else {
        throw refusal("\(key.stringValue) is not a stored property")
      }
      guard let slot = elements[index].coder.slot(any: value) else { throw refusal("a value of another type") }
      values[index] = try elements[index].coder.encoded(slot)[0]
    }
    try content.encode(to: encoder)
    return values
  }

  override func slot(columns values: [Value]) -> Slot { .columns(values) }
}
