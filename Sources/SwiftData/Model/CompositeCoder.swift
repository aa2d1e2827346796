// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite
@_spi(Reflection) internal import Swift

/// A Codable structure of which each stored property has a column of its own.
///
/// The columns are the structure's stored properties. A structure whose own coding uses other keys, or none, is stored
/// as JSON text instead.
final class CompositeCoder<Content: Codable>: TypedCoder<Content> {
  /// The stored properties by name, in their order.
  private let elements: [(name: String, keyPath: AnyKeyPath?, coder: ValueCoder)]

  private init(_ elements: [(name: String, keyPath: AnyKeyPath?, coder: ValueCoder)]) {
    self.elements = elements
    super.init(
      Content.self,
      columns: elements.map { element in
        let column = element.coder.columns[0]
        return Column(name: element.name, type: column.type, isOptional: column.isOptional)
      })
  }

  static func make() -> CompositeCoder<Content>? {
    var elements: [(name: String, keyPath: AnyKeyPath?, coder: ValueCoder)] = []
    var isWhole = true
    let isStruct = _forEachField(of: Content.self) { name, _, type, kind in
      let name = String(cString: name)
      if let coder = CoderFactory.element(name: name, type) {
        elements.append((name, nil, coder))
      } else {
        isWhole = false
      }
      return true
    }
    guard isStruct, isWhole, !elements.isEmpty, let keys = KeyProbe.keys(of: Content.self),
      !keys.isEmpty, elements.map(\.name).starts(with: keys)
    else { return nil }
    var paths: [String: AnyKeyPath] = [:]
    _ = _forEachFieldWithKeyPath(of: Content.self) { name, path in
      paths[String(cString: name)] = path
      return true
    }
    return CompositeCoder(elements.map { ($0.name, paths[$0.name], $0.coder) })
  }

  override var elementTypes: [Any.Type] { elements.map(\.coder.valueType) }

  override func element(of keyPath: AnyKeyPath) -> (index: Int, type: Any.Type)? { element { $0 == keyPath } }

  override func element(of part: KeyPathParts.Part) -> (index: Int, type: Any.Type)? {
    element { KeyPathParts($0)?.parts == [part] }
  }

  private func element(_ isWanted: (AnyKeyPath) -> Bool) -> (index: Int, type: Any.Type)? {
    let index = elements.firstIndex { $0.keyPath.map(isWanted) ?? false }
    return index.map { index in
      let type = elements[index].coder.valueType
      return (index, (type as? any OptionalProtocol.Type)?.wrappedType ?? type)
    }
  }

  override func slot(_ value: Content) -> Slot { .boxed(Box(value)) }

  override func decode(_ slot: inout Slot) throws -> Content {
    if case .boxed(let box) = slot { return unsafeDowncast(box, to: Box<Content>.self).content }
    let content: Content
    if elements.count > 1, case .column(.blob(let bytes)) = slot {
      // In a store that other software made.
      content = try JSONText.decode(Content.self, from: bytes)
    } else {
      content = try Content(
        from: CompositeDecoder(columns: try values(of: slot), elements: elements.map { ($0.name, $0.coder) }))
    }
    slot = .boxed(Box(content))
    return content
  }

  private func values(of slot: Slot) throws -> [Value] {
    switch slot {
    case .columns(let values): values
    case .column(let value): [value]
    default: throw UndecodableValue(type: Content.self)
    }
  }

  override func refuses(_ slot: Slot) -> Bool {
    var slot = slot
    return (try? decode(&slot)) == nil
  }

  override func encoded(_ slot: Slot) throws -> [Value] {
    switch slot {
    case .boxed(let box):
      let encoder = CompositeEncoder(elements: elements.map { ($0.name, $0.coder) })
      try unsafeDowncast(box, to: Box<Content>.self).content.encode(to: encoder)
      return encoder.values
    case .columns(let values): return values
    case .column(let value): return [value]
    default: return columns.map { _ in .null }
    }
  }

  override func slot(columns values: [Value]) -> Slot { .columns(values) }
}
