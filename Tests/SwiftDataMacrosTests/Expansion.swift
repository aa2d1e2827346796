// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxMacroExpansion
internal import SwiftSyntaxMacros

@testable import MacroExpansion

/// What the macros make of a source text.
struct Expansion {
  /// The text with every macro expanded.
  let text: String
  let findings: [Finding]

  /// One diagnostic, and what each of its repairs makes of the source text.
  struct Finding: Equatable {
    let line: Int
    let column: Int
    let message: String
    var isWarning = false
    var repairs: [Repair] = []
  }

  struct Repair: Equatable {
    let message: String
    let source: String
  }

  /// The arguments of the entries in the class's table, each on one line.
  var entries: [String] {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard let table = line.firstRange(of: "[ SwiftData.Schema.PropertyMetadata( "),
      let end = line[table.upperBound...].firstRange(of: "), ] }")
    else { return [] }
    return line[table.upperBound..<end.lowerBound].split(separator: "), SwiftData.Schema.PropertyMetadata( ").map(
      String.init)
  }

  /// - Parameters:
  ///   - names: The macros to expand; others stay as they are.
  ///   - missing: The conformances the compiler says the type lacks.
  ///   - languageMode: Swift's language mode.
  ///   - conditionsKnown: Whether the compiler says what `#if` depends on.
  init(
    _ source: String, expanding names: [String]? = nil,
    missing: [String] = ["Observable", "PersistentModel", "Sendable"], languageMode: Int = 6,
    conditionsKnown: Bool = true
  ) {
    let file = Parser.parse(source: source)
    let conditions = StaticBuildConfiguration(
      targetOSs: ["Linux"], languageVersion: VersionTuple(languageMode), compilerVersion: VersionTuple(6, 3))
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")],
      buildConfiguration: conditionsKnown ? conditions : nil)
    let specifications = Self.macros.filter { names?.contains($0.key) ?? true }.mapValues { macro in
      MacroSpec(type: macro, conformances: missing.map { TypeSyntax(IdentifierTypeSyntax(name: .identifier($0))) })
    }
    let expanded = file.expand(
      macroSpecs: specifications,
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2))
    text = String(expanded.description.trimmingPrefix(while: \.isNewline))
    findings = context.diagnostics.map { Finding($0, in: source, context) }
  }

  private static var macros: [String: any Macro.Type] {
    [
      "Model": ModelMacro.self, "ModelActor": ModelActorMacro.self,
      "Attribute": PropertyMarkerMacro.self, "Relationship": PropertyMarkerMacro.self,
      "Transient": PropertyMarkerMacro.self, "Unique": SchemaConstraintMacro.self, "Index": SchemaConstraintMacro.self,
      "_PersistedProperty": PersistedPropertyMacro.self, "_TransformablePersistedProperty": PersistedPropertyMacro.self,
    ]
  }
}

extension Expansion.Finding {
  init(_ diagnostic: Diagnostic, in source: String, _ context: BasicMacroExpansionContext) {
    let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
    self.init(line: place.line, column: place.column, message: diagnostic.message)
    isWarning = diagnostic.diagMessage.severity == .warning
    repairs = diagnostic.fixIts.map { fixIt in
      var bytes = Array(source.utf8)
      for case .replace(let old, let new) in fixIt.changes {
        let start = context.location(for: old.position, anchoredAt: old, fileName: "Test.swift").offset
        bytes.replaceSubrange(start..<start + old.totalLength.utf8Length, with: new.description.utf8)
      }
      return .init(message: fixIt.message.message, source: String(decoding: bytes, as: UTF8.self))
    }
  }
}
