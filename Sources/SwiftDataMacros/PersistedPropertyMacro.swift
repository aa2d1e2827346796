// SPDX-License-Identifier: MIT

internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Implements `@_PersistedProperty` and `@_TransformablePersistedProperty`: the value lies in the object's backing.
enum PersistedPropertyMacro {
  private static func property(
    _ declaration: some DeclSyntaxProtocol, _ context: some MacroExpansionContext
  ) -> StoredProperty? {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      case .persisted(let property) = PropertyReading(variable, in: context.buildConfiguration)
    else { return nil }
    return property
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = property(declaration, context) else { return [] }
    guard let position = node.labeledArguments.first?.expression else { return accessorsByKeyPath(property, node) }
    guard let model = context.lexicalContext.lazy.compactMap({ $0.as(ClassDeclSyntax.self) }).first?.name.text
    else { return [] }
    let key = "\\.\(property.identifier.text)"
    let index = "\(model)._$firstProperty + \(position)"
    let isTransformable = node.isTransformable
    let (value, start) = isTransformable ? ("TransformableValue", "_startTransformable") : ("Value", "_start")
    let accessors: [AccessorDeclSyntax] = [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(raw: property.placeholder))
      init(initialValue) {
        _$backingData.\(raw: start)(with: initialValue, at: \(raw: index))
        \(raw: property.placeholder) = _SwiftDataNoType()
      }
      """,
      """
      get {
        self.get\(raw: value)(forKey: \(raw: key), at: \(raw: index))
      }
      """,
      """
      set {
        self.set\(raw: value)(forKey: \(raw: key), to: newValue, at: \(raw: index))
      }
      """,
    ]
    guard property.isArray, !isTransformable else { return accessors }
    return accessors + [
      """
      _modify {
        let edit = self._edit(forKey: \(raw: key), at: \(raw: index))
        defer {
          edit.end()
        }
        yield &edit.value.pointee
      }
      """
    ]
  }

  /// The accessors of a class that has a backing and a registrar as Apple's macro writes them.
  private static func accessorsByKeyPath(_ property: StoredProperty, _ node: AttributeSyntax) -> [AccessorDeclSyntax] {
    let key = "\\.\(property.identifier.text)"
    let value = node.isTransformable ? "TransformableValue" : "Value"
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(raw: property.placeholder))
      init(initialValue) {
        _$backingData.set\(raw: value)(forKey: \(raw: key), to: initialValue)
        \(raw: property.placeholder) = _SwiftDataNoType()
      }
      """,
      """
      get {
        _$observationRegistrar.access(self, keyPath: \(raw: key))
        return self.get\(raw: value)(forKey: \(raw: key))
      }
      """,
      """
      set {
        _$observationRegistrar.withMutation(of: self, keyPath: \(raw: key)) {
          self.set\(raw: value)(forKey: \(raw: key), to: newValue)
        }
      }
      """,
    ]
  }
}

extension PersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = property(declaration, context) else { return [] }
    let type = property.startsAsNil ? "_SwiftDataNoType?" : "_SwiftDataNoType"
    let start = property.initialValue == nil ? "" : " = .init()"
    return ["@Transient private var \(raw: property.placeholder): \(raw: type)\(raw: start)"]
  }
}

extension AttributeSyntax {
  fileprivate var isTransformable: Bool { markerName == "_TransformablePersistedProperty" }
}
