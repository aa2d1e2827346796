// SPDX-License-Identifier: MIT

/// Finds the coder for a property's type.
enum CoderFactory {
  /// - Returns: nil for a type that cannot be stored.
  static func coder(name: String, _ type: Any.Type, _ attribute: Schema.Attribute?) -> ValueCoder? {
    let options = attribute?.options ?? []
    if options.contains(.ephemeral) { return optional(type, ephemeral(OptionalTypes.unwrapped(type))) }
    if let transformer = attribute?.transformerName { return TransformerCoder<Any>.make(name: name, type, transformer) }
    if options.contains(.codable) {
      return (OptionalTypes.unwrapped(type) as? any Codable.Type).flatMap { optional(type, json(name, $0)) }
    }
    // Only data is stored in files; the option has no effect on other types.
    if options.contains(.externalStorage), OptionalTypes.unwrapped(type) == Data.self {
      return optional(type, ExternalDataCoder(name: name))
    }
    return element(name: name, type, isComposite: true)
  }

  /// The coder of one column; with `isComposite`, also of a structure that takes several.
  static func element(name: String, _ type: Any.Type, isComposite: Bool = false) -> ValueCoder? {
    if let scalar = type as? any ColumnValue.Type { return self.scalar(name, scalar, isOptional: isOptional(type)) }
    let wrapped = OptionalTypes.unwrapped(type)
    if let raw = wrapped as? any RawRepresentable.Type, let coder = self.raw(name, raw) {
      return optional(type, coder)
    }
    guard let codable = wrapped as? any Codable.Type else { return nil }
    if isComposite, let coder = structure(codable) { return optional(type, coder) }
    return optional(type, json(name, codable))
  }

  private static func isOptional(_ type: Any.Type) -> Bool { type is any OptionalProtocol.Type }

  private static func scalar<Content: ColumnValue>(_ name: String, _ type: Content.Type, isOptional: Bool) -> ValueCoder
  {
    ScalarCoder<Content>(name: name, isOptional: isOptional)
  }

  private static func raw<Content: RawRepresentable>(_ name: String, _ type: Content.Type) -> ValueCoder? {
    func make<Raw: ColumnValue>(_ raw: Raw.Type) -> ValueCoder { RawCoder<Content, Raw>(name: name, raw) }
    guard let raw = Content.RawValue.self as? any ColumnValue.Type else { return nil }
    return make(raw)
  }

  private static func json<Content: Codable>(_ name: String, _ type: Content.Type) -> ValueCoder {
    JSONCoder<Content>(name: name)
  }

  /// The coder of a structure whose coding keys are its stored properties; nil for any other type.
  static func structure<Content: Codable>(_ type: Content.Type) -> ValueCoder? { CompositeCoder<Content>.make() }

  private static func ephemeral(_ type: Any.Type) -> ValueCoder {
    func make<Content>(_ type: Content.Type) -> ValueCoder { EphemeralCoder<Content>() }
    return _openExistential(type, do: make)
  }

  /// The coder of the optional, where `type` is one.
  private static func optional(_ type: Any.Type, _ coder: ValueCoder) -> ValueCoder {
    guard isOptional(type) else { return coder }
    func make<Wrapped>(_ wrapped: Wrapped.Type) -> ValueCoder {
      guard let coder = coder as? TypedCoder<Wrapped> else { return coder }
      return OptionalCoder(coder)
    }
    return _openExistential(OptionalTypes.unwrapped(type), do: make)
  }
}
