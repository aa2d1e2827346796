// SPDX-License-Identifier: MIT

internal import SwiftIfConfig
internal import SwiftSyntax

extension MemberBlockSyntax {
  /// The declarations of the body that are compiled, those inside the chosen clauses of `#if` among them.
  ///
  /// Without a configuration no clause can be chosen, and what stands in `#if` is left out.
  func activeMembers(in configuration: (any BuildConfiguration)?) -> [DeclSyntax] {
    Self.active(members, in: configuration)
  }

  private static func active(
    _ members: MemberBlockItemListSyntax, in configuration: (any BuildConfiguration)?
  ) -> [DeclSyntax] {
    members.flatMap { member -> [DeclSyntax] in
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
      guard let configuration,
        case .decls(let chosen)? = conditional.activeClause(in: configuration).clause?.elements
      else { return [] }
      return active(chosen, in: configuration)
    }
  }
}
