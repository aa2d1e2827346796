internal import PersistentStore
internal import SQLite

/// Values that a `ValueTransformer` turns into bytes.
final class TransformerCoder<Content>: TypedCoder<Content> {
  private let transformer: ValueTransformer
  private let isOptional: Bool

  private init(name: String, transformer: ValueTransformer) {
    self.transformer = transformer
    isOptional = Content.self is any OptionalProtocol.Type
    super.init(Content.self, columns: [Column(name: name, type: .data, isOptional: isOptional)])
  }

  /// - Returns: nil where no transformer is registered under the name.
  static func coder(name: String, _ type: Content.Type, _ transformer: String) -> ValueCoder? {
    ValueTransformer.find(transformer).map { TransformerCoder<Content>(name: name, transformer: $0) }
  }

  override func slot(_ value: Content) -> Slot { .boxed(Box(value)) }

  override func decode(_ slot: inout Slot) throws -> Content {
    switch slot {
    case .boxed(let box): return unsafeDowncast(box, to: Box<Content>.self).content
    case .column(.null) where isOptional: return Optional<Any>.none as! Content
    case .column(.blob(let bytes)):
      guard let content = transformer.reverseTransformedValue(Data(bytes)) as? Content else {
        throw UndecodableValue(type: Content.self)
      }
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
    if let optional = content as? any OptionalProtocol, optional.wrappedValue == nil { return [.null] }
    guard let data = transformer.transformedValue(content) as? Data else {
      throw EncodingError.invalidValue(
        content,
        .init(codingPath: [], debugDescription: "\(Swift.type(of: transformer)) made no Data of \(Content.self)"))
    }
    return [.blob(Array(data))]
  }
}

extension TransformerCoder where Content == Any {
  static func make(name: String, _ type: Any.Type, _ transformer: String) -> ValueCoder? {
    func make<Value>(_ type: Value.Type) -> ValueCoder? {
      TransformerCoder<Value>.coder(name: name, type, transformer)
    }
    return _openExistential(type, do: make)
  }
}
