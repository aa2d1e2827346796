// SPDX-License-Identifier: MIT

internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Implements `@Attribute`, `@Relationship` and `@Transient`, which add nothing: `@Model` reads them.
enum PropertyMarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
