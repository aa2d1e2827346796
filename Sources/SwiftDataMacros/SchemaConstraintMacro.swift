// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Implements `#Unique` and `#Index`, which add nothing: `@Model` reads them in the body of its class.
enum SchemaConstraintMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let attributes = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.attributes ?? []
    if !attributes.contains(where: { $0.as(AttributeSyntax.self)?.markerName == "Model" }) {
      let message = "'#\(node.macroName.text)' belongs directly in the body of a '@Model' class"
      context.diagnose(Diagnostic("misplacedConstraint", message, at: node))
    }
    return []
  }
}
