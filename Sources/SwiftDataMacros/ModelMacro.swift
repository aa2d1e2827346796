// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Implements `@Model`: the class becomes an observable object whose values lie in a backing the store fills.
enum ModelMacro {}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    // The class is read as a whole, because the attribute carries the property's index among all of them.
    guard let variable = member.as(VariableDeclSyntax.self),
      case .persisted(let property) = PropertyReading(variable, in: context.buildConfiguration),
      !context.isInFunction, let model = ModelClass(declaration, configuration: context.buildConfiguration),
      let index = model.properties.firstIndex(where: { $0.name == property.name })
    else { return [] }
    let attribute = property.isTransformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
    return ["@\(raw: attribute)(\(raw: index))"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let isClass = declaration.is(ClassDeclSyntax.self)
    if !isClass { context.diagnose(notAClass(declaration, attribute: node)) }
    return try protocols.compactMap { conformance in
      switch conformance.lastName {
      case "Sendable" where isClass:
        return try ExtensionDeclSyntax(
          """
          @available(*, unavailable, message: "a model belongs to its context; pass its persistentModelID on instead")
          extension \(type.trimmed): Swift.Sendable {}
          """)
      case "Sendable" where declaration.is(ActorDeclSyntax.self):
        // Without it the compiler complains a second time, that an actor is not Sendable.
        return try ExtensionDeclSyntax("extension \(type.trimmed): Swift.Sendable {}")
      case "Observable" where isClass:
        return try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated Observation.Observable {}")
      case "PersistentModel" where isClass:
        return try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated SwiftData.PersistentModel {}")
      default: return nil
      }
    }
  }

  private static func notAClass(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
    let hasCases = declaration.memberBlock.members.contains { $0.decl.is(EnumCaseDeclSyntax.self) }
    let keyword: TokenSyntax? =
      declaration.as(StructDeclSyntax.self)?.structKeyword ?? declaration.as(ActorDeclSyntax.self)?.actorKeyword
      ?? (hasCases ? nil : declaration.as(EnumDeclSyntax.self)?.enumKeyword)
    return .misplaced("notAClass", "'@Model' belongs on a class", attribute, keyword, mustBe: .class)
  }
}

extension MacroExpansionContext {
  /// Whether the class is local to a function, where Swift itself refuses the macro.
  var isInFunction: Bool {
    lexicalContext.contains { !$0.isProtocol((any DeclGroupSyntax).self) }
  }
}
