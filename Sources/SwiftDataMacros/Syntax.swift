// SPDX-License-Identifier: MIT

internal import SwiftSyntax

extension AttributeSyntax {
  /// The attribute's name without the module before it.
  var markerName: String { attributeName.lastName }

  var labeledArguments: LabeledExprListSyntax {
    guard case .argumentList(let list)? = arguments else { return [] }
    return list
  }
}

extension TypeSyntax {
  /// The name without the module or type before it.
  var lastName: String { self.as(MemberTypeSyntax.self)?.name.text ?? trimmedDescription }

  var isOptional: Bool { self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) }
}

extension DeclModifierListSyntax {
  func contains(_ keywords: Keyword...) -> Bool {
    contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
  }

  /// The access of the members of a declaration that are used outside of it.
  var memberAccess: String { contains(.public, .open) ? "public " : contains(.package) ? "package " : "" }
}

extension InitializerDeclSyntax {
  func takesOnly(_ label: String) -> Bool {
    let parameters = signature.parameterClause.parameters
    return parameters.count == 1 && parameters.first?.firstName.text == label
  }
}
