// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// Values that a `ValueTransformer` turns into bytes.
final class TransformerCoder<Content>: TypedCoder<Content> {
  private let transformerName: String
  private let isOptional: Bool

  init(name: String, transformer: String) {
    transformerName = transformer
    isOptional = Content.self is any OptionalProtocol.Type
    super.init(Content.self, columns: [Column(name: name, type: .data, isOptional: isOptional)])
  }

  /// Programs may register a transformer after the model class is in use; a container is refused until they have.
  private func transformer() throws -> ValueTransformer {
    guard let found = ValueTransformer.find(transformerName) else {
      throw SwiftDataError(.loadIssueModelContainer, "no value transformer is registered as \(transformerName)")
    }
    return found
  }

  override func slot(_ value: Content) -> Slot { .boxed(Box(value)) }

  override func decode(_ slot: inout Slot) throws -> Content {
    switch slot {
    case .boxed(let box): return unsafeDowncast(box, to: Box<Content>.self).content
    case .column(.null) where isOptional: return Optional<Any>.none as! Content
    case .column(.blob(let bytes)):
      let (transformer, data) = (try transformer(), Data(bytes))
      let value =
        type(of: transformer).readsData ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
      guard let content = value as? Content else { throw UndecodableValue(type: Content.self) }
      slot = .boxed(Box(content))
      return content
    default: throw UndecodableValue(type: Content.self)
    }
  }

  override func refuses(_ slot: Slot) -> Bool {
    var slot = slot
    return (try? decode(&slot)) == nil
  }

  override func encoded(_ slot: Slot) throws -> [Value] {
    guard case .boxed(let box) = slot else {
      if case .column(let value) = slot { return [value] }
      return [.null]
    }
    let content = unsafeDowncast(box, to: Box<Content>.self).content
    guard let value = (content as? any OptionalProtocol).map(\.wrappedValue) ?? content else { return [.null] }
    let transformer = try transformer()
    let data =
      type(of: transformer).readsData ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    guard let data = data as? Data else {
      throw EncodingError.invalidValue(
        content,
        .init(codingPath: [], debugDescription: "\(Swift.type(of: transformer)) made no Data of \(Content.self)"))
    }
    return [.blob(Array(data))]
  }
}

extension TransformerCoder where Content == Any {
  static func make(name: String, _ type: Any.Type, _ transformer: String) -> ValueCoder {
    func make<Value>(_ type: Value.Type) -> ValueCoder { TransformerCoder<Value>(name: name, transformer: transformer) }
    return _openExistential(type, do: make)
  }
}
