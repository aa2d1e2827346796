// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// What is wrong with a declaration, in words for the person who wrote it.
struct ModelDiagnostic: DiagnosticMessage {
  let id: String
  let message: String
  /// A warning for what compiles and yet does less than it says.
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "SwiftData", id: id) }
}

/// One repair offered beside a diagnostic.
struct Repair: FixItMessage {
  let id: String
  let message: String

  var fixItID: MessageID { MessageID(domain: "SwiftData", id: id) }
}

extension FixIt {
  /// Puts another word instead of a token, between the same spaces and comments.
  static func replaceWord(_ token: TokenSyntax, with keyword: Keyword) -> FixIt {
    let word = TokenSyntax.keyword(keyword, leadingTrivia: token.leadingTrivia, trailingTrivia: token.trailingTrivia)
    return .replace(
      message: Repair(id: "replaceWord", message: "replace '\(token.text)' with '\(word.text)'"),
      oldNode: token, newNode: word)
  }

  /// Takes one word before a declaration away.
  static func removeModifier(_ modifier: DeclModifierSyntax, of variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.modifiers = repaired.modifiers.filter { $0.id != modifier.id }
    repaired.leadingTrivia = variable.leadingTrivia
    return .replace(
      message: Repair(id: "removeModifier", message: "remove '\(modifier.name.text)'"),
      oldNode: variable, newNode: repaired)
  }

  /// Takes one attribute before a declaration away.
  static func removeAttribute(_ attribute: AttributeSyntax, of variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.attributes = repaired.attributes.filter { $0.id != attribute.id }
    repaired.leadingTrivia = variable.leadingTrivia
    return .replace(
      message: Repair(id: "removeAttribute", message: "remove '@\(attribute.attributeName.trimmedDescription)'"),
      oldNode: variable, newNode: repaired)
  }

  /// Keeps a property of the object alone, outside of the store.
  static func addTransient(to variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.leadingTrivia = []
    let transient = AttributeSyntax(
      leadingTrivia: variable.leadingTrivia, attributeName: TypeSyntax("Transient"), trailingTrivia: .space)
    repaired.attributes.insert(.attribute(transient), at: repaired.attributes.startIndex)
    return .replace(
      message: Repair(id: "addTransient", message: "add '@Transient' to keep it out of the store"),
      oldNode: variable, newNode: repaired)
  }

  /// Leaves room for an initial value behind the name and type.
  static func addInitialValue(to binding: PatternBindingSyntax) -> FixIt {
    var repaired = binding
    let space = binding.typeAnnotation?.trailingTrivia ?? []
    repaired.typeAnnotation?.trailingTrivia = .space
    repaired.initializer = InitializerClauseSyntax(
      equal: .equalToken(trailingTrivia: .space), value: ExprSyntax("<#value#>"), trailingTrivia: space)
    return .replace(
      message: Repair(id: "addInitialValue", message: "add an initial value"),
      oldNode: binding, newNode: repaired)
  }

  /// Gives each name of `var a = 0, b = 1` a declaration of its own.
  static func splitBindings(of variable: VariableDeclSyntax) -> FixIt {
    var annotation: TypeAnnotationSyntax?
    var declarations: [VariableDeclSyntax] = []
    for var binding in variable.bindings.reversed() {
      // `var a, b: Int` writes the type of both behind the last name.
      if let own = binding.typeAnnotation {
        annotation = own.trimmed
      } else if binding.initializer == nil, let annotation {
        binding.pattern = binding.pattern.trimmed
        binding.typeAnnotation = annotation
      }
      binding.trailingComma = nil
      var declaration = variable.trimmed
      declaration.bindings = [binding.trimmed]
      declarations.insert(declaration.with(\.leadingTrivia, .newline + variable.leadingTrivia.indentation), at: 0)
    }
    declarations[0].leadingTrivia = variable.leadingTrivia
    declarations[declarations.count - 1].trailingTrivia = variable.trailingTrivia
    return .replace(
      message: Repair(id: "splitBindings", message: "write one declaration for each"),
      oldNode: variable,
      newNode: MemberBlockItemListSyntax(declarations.map { MemberBlockItemSyntax(decl: $0) }))
  }
}

extension Trivia {
  /// What stands before the first word, after the last line break.
  var indentation: Trivia {
    Trivia(pieces: pieces.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last ?? [])
  }
}
