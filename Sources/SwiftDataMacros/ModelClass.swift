// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// A class marked `@Model`, as the macros read it.
struct ModelClass {
  let declaration: ClassDeclSyntax
  /// The class's own stored properties in the order they are written.
  private(set) var properties: [StoredProperty] = []
  /// `#Unique` and `#Index`.
  private(set) var constraints: [MacroExpansionDeclSyntax] = []
  /// Why the class cannot be expanded as a whole.
  private(set) var problems: [Diagnostic] = []
  /// What compiles and yet does less than it says.
  private(set) var warnings: [Diagnostic] = []
  /// Whether an `init` is written in the class, apart from `init(backingData:)`.
  private(set) var hasInitializer = false
  private(set) var hasBackingInitializer = false

  /// Nil for anything but a class.
  init?(_ declaration: some DeclGroupSyntax, configuration: (any BuildConfiguration)?) {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
    self.declaration = declaration
    for member in declaration.memberBlock.activeMembers(in: configuration) {
      if let variable = member.as(VariableDeclSyntax.self) {
        switch PropertyReading(variable, in: configuration) {
        case .persisted(let property):
          properties.append(property)
          warnings += variable.storageWarnings
        case .skipped: warnings += variable.misplacedMarkers
        case .refused(let problems): self.problems += problems
        }
      } else if let initializer = member.as(InitializerDeclSyntax.self) {
        if initializer.takesOnly("backingData") {
          hasBackingInitializer = true
        } else {
          hasInitializer = true
        }
      } else if let expansion = member.as(MacroExpansionDeclSyntax.self), expansion.isConstraint {
        constraints.append(expansion)
      }
    }
    if configuration == nil,
      let conditional = declaration.memberBlock.members.first(where: { $0.decl.is(IfConfigDeclSyntax.self) })
    {
      problems.append(Self.conditionalProblem(conditional))
    }
    if let generics = declaration.genericParameterClause { problems.append(Self.genericProblem(generics)) }
    if !hasInitializer { problems.append(initializerProblem) }
  }

  var name: String { declaration.name.text }
  var isFinal: Bool { declaration.modifiers.contains(.final) }

  /// The access of members that are used outside of the class.
  var access: String { declaration.modifiers.memberAccess }
  /// The access of such members that subclasses override.
  var overridableAccess: String { declaration.modifiers.contains(.open) ? "open " : access }

  /// The class above this one, if that is a model itself.
  ///
  /// - Parameter missing: The conformances the class lacks so far. A class below a model lacks none.
  func superclass(missing: [TypeSyntax]) -> TypeSyntax? {
    guard !missing.contains(where: { $0.lastName == "PersistentModel" }),
      let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type),
      !inherited.contains(where: { $0.lastName == "PersistentModel" })
    else { return nil }
    return inherited.first?.trimmed
  }

  private static func conditionalProblem(_ member: MemberBlockItemSyntax) -> Diagnostic {
    Diagnostic(
      "undecidedCondition",
      "this compiler does not tell macros which clause of '#if' it takes; keep '#if' out of the body of a '@Model' class",
      at: member)
  }

  private static func genericProblem(_ generics: GenericParameterClauseSyntax) -> Diagnostic {
    Diagnostic(
      "genericModel", "a '@Model' class cannot be generic, because it is one entity of the schema", at: generics)
  }

  /// Without an `init` of its own no object of the class could be made.
  private var initializerProblem: Diagnostic {
    let parameters = properties.compactMap { property -> String? in
      guard let type = property.type?.description else { return nil }
      let value = property.initialValue.map(\.description) ?? (property.startsAsNil ? "nil" : nil)
      return "\(property.identifier.text): \(type)" + (value.map { " = \($0)" } ?? "")
    }
    let assigned = properties.filter { $0.type != nil }.map { "self.\($0.identifier.text) = \($0.identifier.text)" }
    let indentation = declaration.leadingTrivia.indentation.description
    let lines = ["\(access)init(\(parameters.joined(separator: ", "))) {"] + assigned.map { "  \($0)" } + ["}"]
    let initializer = DeclSyntax("\n\(raw: lines.map { "\n\(indentation)  \($0)" }.joined())")
    var repaired = declaration.memberBlock
    repaired.members.append(MemberBlockItemSyntax(decl: initializer))
    let repair = FixIt.replace("addInitializer", "add an initializer", declaration.memberBlock, by: repaired)
    return Diagnostic(
      "noInitializer", "'@Model' class '\(name)' needs an initializer", at: declaration.name,
      fixIts: declaration.inheritanceClause == nil ? [repair] : [])
  }
}

extension MacroExpansionDeclSyntax {
  fileprivate var isConstraint: Bool { ["Unique", "Index"].contains(macroName.text) }
}
