// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Values that a `ValueTransformer` turns into bytes.
final class TransformerCoder<Content>: BoxedCoder<Content> {
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

  override func decoded(_ slot: Slot) throws -> Content {
    if isOptional, case .column(.null) = slot { return Optional<Any>.none as! Content }
    guard case .column(.blob(let bytes)) = slot else { throw UndecodableValue(type: Content.self) }
    let (transformer, data) = (try transformer(), Data(bytes))
    let value =
      type(of: transformer).readsData ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
    guard let content = value as? Content else { throw UndecodableValue(type: Content.self) }
    return content
  }

  override func encode(_ content: Content) throws -> [Value] {
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
