// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The message of a diagnostic, or of a repair that is offered beside one.
private struct Message: DiagnosticMessage, FixItMessage {
  let id: String
  let message: String
  var severity = DiagnosticSeverity.error

  private var messageID: MessageID { MessageID(domain: "SwiftData", id: id) }
  var diagnosticID: MessageID { messageID }
  var fixItID: MessageID { messageID }
}

extension Diagnostic {
  /// - Parameter severity: A warning for what compiles and yet does less than it says.
  init(
    _ id: String, _ message: String, at node: some SyntaxProtocol, severity: DiagnosticSeverity = .error,
    fixIts: [FixIt] = []
  ) {
    self.init(node: node, message: Message(id: id, message: message, severity: severity), fixIts: fixIts)
  }

  /// An attribute on the wrong kind of declaration.
  ///
  /// - Parameter keyword: The keyword of a declaration that another keyword would repair; nil for any other.
  static func misplaced(
    _ id: String, _ message: String, _ attribute: AttributeSyntax, _ keyword: TokenSyntax?, mustBe wanted: Keyword
  ) -> Diagnostic {
    guard let keyword else { return Diagnostic(id, message, at: attribute) }
    return Diagnostic(id, message, at: keyword, fixIts: [.replaceWord(keyword, with: wanted)])
  }
}

extension FixIt {
  static func replace(
    _ id: String, _ message: String, _ node: some SyntaxProtocol, by repaired: some SyntaxProtocol
  ) -> FixIt {
    .replace(message: Message(id: id, message: message), oldNode: node, newNode: repaired)
  }

  /// Replaces a token by a keyword, between the same spaces and comments.
  static func replaceWord(_ token: TokenSyntax, with keyword: Keyword) -> FixIt {
    let word = TokenSyntax.keyword(keyword, leadingTrivia: token.leadingTrivia, trailingTrivia: token.trailingTrivia)
    return .replace("replaceWord", "replace '\(token.text)' with '\(word.text)'", token, by: word)
  }

  static func removeModifier(_ modifier: DeclModifierSyntax, of variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.modifiers = repaired.modifiers.filter { $0.id != modifier.id }
    repaired.leadingTrivia = variable.leadingTrivia
    return .replace("removeModifier", "remove '\(modifier.name.text)'", variable, by: repaired)
  }

  static func removeAttribute(_ attribute: AttributeSyntax, of variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.attributes = repaired.attributes.filter { $0.id != attribute.id }
    repaired.leadingTrivia = variable.leadingTrivia
    return .replace(
      "removeAttribute", "remove '@\(attribute.attributeName.trimmedDescription)'", variable, by: repaired)
  }

  /// Adds `@Transient`, which keeps the property out of the store.
  static func addTransient(to variable: VariableDeclSyntax) -> FixIt {
    var repaired = variable
    repaired.leadingTrivia = []
    let transient = AttributeSyntax(
      leadingTrivia: variable.leadingTrivia, attributeName: TypeSyntax("Transient"), trailingTrivia: .space)
    repaired.attributes.insert(.attribute(transient), at: repaired.attributes.startIndex)
    return .replace("addTransient", "add '@Transient' to keep it out of the store", variable, by: repaired)
  }

  /// Adds a placeholder for an initial value behind the name and type.
  static func addInitialValue(to binding: PatternBindingSyntax) -> FixIt {
    var repaired = binding
    let space = binding.typeAnnotation?.trailingTrivia ?? []
    repaired.typeAnnotation?.trailingTrivia = .space
    repaired.initializer = InitializerClauseSyntax(
      equal: .equalToken(trailingTrivia: .space), value: ExprSyntax("<#value#>"), trailingTrivia: space)
    return .replace("addInitialValue", "add an initial value", binding, by: repaired)
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
    let list = MemberBlockItemListSyntax(declarations.map { MemberBlockItemSyntax(decl: $0) })
    return .replace("splitBindings", "write one declaration for each", variable, by: list)
  }
}

extension Trivia {
  /// What stands before the first word, after the last line break.
  var indentation: Trivia {
    Trivia(pieces: pieces.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last ?? [])
  }
}
