// SPDX-License-Identifier: MIT

@_spi(Reflection) internal import Swift

extension ModelType {
  /// What is stored here, and not by Apple's framework: structures with a class among their stored properties.
  var warnings: [String] {
    properties.compactMap { property in
      guard property.kind == .attribute, !(property.attribute?.isCodable ?? false),
        !(property.attribute?.isTransformable ?? false), let found = Self.storedClass(of: property.valueType)
      else { return nil }
      return "\(name).\(property.name): \(OptionalTypes.unwrapped(property.valueType)) holds the class \(found), which "
        + "Apple's framework does not store: mark the property @Attribute(.codable)"
    }
  }

  /// Writes the warnings to standard error, once in a process.
  func warn() {
    guard Self.warned.withLock({ $0.insert(ObjectIdentifier(self)).inserted }) else { return }
    for warning in warnings { FileHandle.standardError.write(Data("SwiftData: warning: \(warning)\n".utf8)) }
  }

  private static let warned = Locked<Set<ObjectIdentifier>>([])

  private static func storedClass(of type: Any.Type) -> Any.Type? {
    let type = element(type)
    // The structures of the standard library and of Foundation have classes that nobody sees.
    guard type is any Codable.Type, !["Swift.", "Foundation"].contains(where: String(reflecting: type).hasPrefix) else {
      return nil
    }
    var found: Any.Type?
    _ = _forEachField(of: type) { _, _, field, _ in
      if let field = element(field) as? AnyClass { found = found ?? field }
      return true
    }
    return found
  }

  /// What is in an optional or in a collection.
  private static func element(_ type: Any.Type) -> Any.Type {
    let unwrapped = OptionalTypes.unwrapped(type)
    return (unwrapped as? any Collection.Type).map { OptionalTypes.unwrapped(elementType($0)) } ?? unwrapped
  }

  private static func elementType<Content: Collection>(_ type: Content.Type) -> Any.Type { Content.Element.self }
}
