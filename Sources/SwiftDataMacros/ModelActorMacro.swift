// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Implements `@ModelActor`: the actor works with a context of its own, on that context's executor.
enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else { return [] }
    let access = declaration.modifiers.memberAccess
    let members = declaration.memberBlock.activeMembers(in: context.buildConfiguration)
    var added: [DeclSyntax] = []
    if !members.declare("modelExecutor") {
      added.append("\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor")
    }
    if !members.declare("modelContainer") {
      added.append("\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer")
    }
    if !members.contains(where: { $0.as(InitializerDeclSyntax.self)?.takesOnly("modelContainer") ?? false }) {
      added.append(
        """
        \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
        """)
    }
    return added
  }
}

extension ModelActorMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self) else {
      context.diagnose(notAnActor(declaration, attribute: node))
      return []
    }
    return protocols.isEmpty ? [] : [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
  }

  private static func notAnActor(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
    let keyword: TokenSyntax? =
      declaration.as(ClassDeclSyntax.self)?.classKeyword ?? declaration.as(StructDeclSyntax.self)?.structKeyword
    return .misplaced("notAnActor", "'@ModelActor' belongs on an actor", attribute, keyword, mustBe: .actor)
  }
}

extension [DeclSyntax] {
  fileprivate func declare(_ name: String) -> Bool {
    contains { member in
      member.as(VariableDeclSyntax.self)?.bindings.contains { $0.pattern.trimmedDescription == name } ?? false
    }
  }
}
