// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if context.isInFunction { return [] }
    guard let model = ModelClass(declaration, configuration: context.buildConfiguration) else { return [] }
    (model.problems + model.warnings).forEach(context.diagnose)
    let superclass = model.superclass(missing: protocols)
    return backing(of: model, below: superclass) + metadata(of: model, below: superclass)
      + initializer(of: model, below: superclass) + observation(of: model, below: superclass)
      + [
        "struct _SwiftDataNoType {\n  init() {\n  }\n}",
        superclass.map { "private static let _$firstProperty: Swift.Int = SwiftData._propertyCount(\($0).self)" }
          ?? "private static var _$firstProperty: Swift.Int {\n  0\n}",
      ]
  }

  /// Where the values lie. A subclass has a backing of its own until its initializer has called the superclass.
  private static func backing(of model: ModelClass, below superclass: TypeSyntax?) -> [DeclSyntax] {
    let name = model.name
    let storage: DeclSyntax =
      "@Transient private let _$backingData = SwiftData._ModelBackingData<\(raw: name)>(for: \(raw: name).self)"
    guard let superclass else {
      return [
        storage,
        """
        \(raw: model.overridableAccess)func _currentState() -> SwiftData._ModelState? {
          _$backingData._state
        }
        """,
        """
        \(raw: model.overridableAccess)var persistentBackingData: any SwiftData.BackingData<\(raw: name)> {
          get {
            _$backingData._shared
          }
          set {
            _$backingData._adopt(newValue)
          }
        }
        """,
      ]
    }
    return [
      storage,
      """
      \(raw: model.overridableAccess)override func _currentState() -> SwiftData._ModelState? {
        persistentBackingData._state
      }
      """,
      """
      \(raw: model.overridableAccess)override var persistentBackingData: any SwiftData.BackingData<\(superclass).Root> {
        get {
          let backing = super.persistentBackingData
          guard let joined = SwiftData._join(_$backingData, backing) else {
            return backing
          }
          super.persistentBackingData = joined
          _$backingData._adopt(joined)
          return joined
        }
        set {
          super.persistentBackingData = newValue
          _$backingData._adopt(newValue)
        }
      }
      """,
    ]
  }

  /// The table from which the schema learns names, key paths, defaults and annotations.
  ///
  /// The key path `\Sub.name` of an inherited property equals no `\Base.name`. So a class that can have subclasses
  /// makes its entries for whichever class asks.
  private static func metadata(of model: ModelClass, below superclass: TypeSyntax?) -> [DeclSyntax] {
    let access = model.overridableAccess
    if model.isFinal {
      return [
        """
        \(raw: access)\(raw: superclass == nil ? "static" : "override class") var schemaMetadata: \(raw: table) {
          \(raw: entries(of: model, below: superclass, root: model.name))
        }
        """
      ]
    }
    return [
      """
      \(raw: access)\(raw: superclass == nil ? "" : "override ")class var schemaMetadata: \(raw: table) {
        _$schemaMetadata(for: \(raw: model.name).self)
      }
      """,
      """
      \(raw: model.access)static func _$schemaMetadata<_Model: \(raw: model.name)>(for model: _Model.Type) -> \(raw: table) {
        \(raw: entries(of: model, below: superclass, root: "_Model"))
      }
      """,
    ]
  }

  private static let table = "[SwiftData.Schema.PropertyMetadata]"

  private static func entries(of model: ModelClass, below superclass: TypeSyntax?, root: String) -> String {
    let entries = model.properties.map { $0.metadata(root: root) } + model.constraintMetadata
    let own = entries.isEmpty ? nil : "[\n" + entries.map { "    \($0),\n" }.joined() + "  ]"
    let inherited = superclass.map { "\($0)._$schemaMetadata(for: \(root).self)" }
    let parts = [inherited, own].compactMap { $0 }
    return parts.isEmpty ? "[]" : parts.joined(separator: " + ")
  }

  /// How the store makes an object around values it has read.
  private static func initializer(of model: ModelClass, below superclass: TypeSyntax?) -> [DeclSyntax] {
    if model.hasBackingInitializer { return [] }
    // Beside a diagnostic the compiler is not to complain a second time, about a property without a value.
    let assignments =
      model.problems.isEmpty
      ? model.properties.map { "\($0.placeholder) = _SwiftDataNoType()" } : ["Swift.fatalError()"]
    let forward =
      superclass == nil ? "self.persistentBackingData = backingData" : "super.init(backingData: backingData)"
    let root = superclass.map { "\($0).Root" } ?? model.name
    return [
      """
      \(raw: model.access)required init(backingData: any SwiftData.BackingData<\(raw: root)>) {
        \(raw: (assignments + (model.problems.isEmpty ? [forward] : [])).joined(separator: "\n  "))
      }
      """
    ]
  }

  private static func observation(of model: ModelClass, below superclass: TypeSyntax?) -> [DeclSyntax] {
    [
      """
      @Transient private var _$observationRegistrar: SwiftData._ModelRegistrar {
        SwiftData._ModelRegistrar(persistentBackingData)
      }
      """,
      """
      internal nonisolated func access<_M>(keyPath: Swift.KeyPath<\(raw: model.name), _M>) {
        _$observationRegistrar.access(self, keyPath: keyPath)
      }
      """,
      """
      internal nonisolated func withMutation<_M, _R>(
        keyPath: Swift.KeyPath<\(raw: model.name), _M>, _ mutation: () throws -> _R
      ) rethrows -> _R {
        try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
      }
      """,
    ] + mutation(of: model, below: superclass)
  }

  /// How a context tells the observers of a property that it gives the property another value.
  private static func mutation(of model: ModelClass, below superclass: TypeSyntax?) -> [DeclSyntax] {
    if superclass != nil, model.properties.isEmpty { return [] }
    let otherwise = superclass == nil ? "body()" : "super._withMutation(at: index, body)"
    let cases = model.properties.enumerated().map { index, property in
      "  case \(index):\n    _$observationRegistrar.withMutation(of: self, keyPath: \\.\(property.identifier.text), body)\n"
    }
    let choice = "switch index - \(model.name)._$firstProperty {\n\(cases.joined())  default:\n    \(otherwise)\n  }"
    let modifiers = model.overridableAccess + (superclass == nil ? "" : "override ")
    return [
      """
      \(raw: modifiers)func _withMutation(at index: Swift.Int, _ body: () -> Swift.Void) {
        \(raw: cases.isEmpty ? otherwise : choice)
      }
      """
    ]
  }
}
