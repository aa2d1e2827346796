// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftSyntax

/// One property whose value the store keeps.
struct StoredProperty {
  /// The name as written, in backticks if they are.
  let identifier: TokenSyntax
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  /// `@Attribute` or `@Relationship`.
  let marker: AttributeSyntax?

  /// The name in the schema.
  var name: String { identifier.identifier?.name ?? identifier.text }

  /// The declaration that stands for the storage.
  var placeholder: String {
    let placeholder = "_\(name)"
    return placeholder.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber } ? placeholder : "`\(placeholder)`"
  }

  /// Whether Swift gives `nil` to the property when nobody gives it a value.
  var startsAsNil: Bool { initialValue == nil && type?.isOptional ?? false }

  /// Whether it is written as an array, or as an optional one.
  var isArray: Bool {
    guard let type else {
      // `var items = [Item]()`
      return initialValue?.as(FunctionCallExprSyntax.self)?.calledExpression.is(ArrayExprSyntax.self) ?? false
    }
    let wrapped = type.as(OptionalTypeSyntax.self)?.wrappedType ?? type
    return wrapped.is(ArrayTypeSyntax.self) || wrapped.as(IdentifierTypeSyntax.self)?.name.text == "Array"
  }

  /// Whether a value transformer stands between the property and the store.
  var isTransformable: Bool {
    marker?.labeledArguments.contains { option in
      guard option.label == nil else { return false }
      let value = option.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? option.expression
      return value.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "transformable"
    } ?? false
  }
}

/// How `@Model` treats one `var` or `let`.
enum PropertyReading {
  case persisted(StoredProperty)
  /// Computed, static or transient.
  case skipped
  /// Cannot be kept in the store the way it is written.
  case refused([Diagnostic])

  init(_ variable: VariableDeclSyntax, in configuration: (any BuildConfiguration)?) {
    let markers = variable.markers
    if variable.isOfType || variable.isComputed || variable.modifiers.contains(.override) {
      self = .skipped
    } else if markers.count > 1 {
      self = .refused([
        Diagnostic(
          "severalMarkers", "a property is one of '@Attribute', '@Relationship' and '@Transient'", at: markers[1],
          fixIts: [.removeAttribute(markers[1], of: variable)])
      ])
    } else if markers.first?.markerName == "Transient" {
      let problems = variable.transientProblems
      self = problems.isEmpty ? .skipped : .refused(problems)
    } else {
      self.init(variable, marker: markers.first, in: configuration)
    }
  }

  private init(
    _ variable: VariableDeclSyntax, marker: AttributeSyntax?, in configuration: (any BuildConfiguration)?
  ) {
    guard let binding = variable.bindings.first, let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      variable.bindings.count == 1
    else {
      self = .refused([variable.severalNamesProblem])
      return
    }
    let problems = variable.storageProblems(of: pattern.identifier, binding, in: configuration)
    guard problems.isEmpty else {
      self = .refused(problems)
      return
    }
    self = .persisted(
      StoredProperty(
        identifier: pattern.identifier.trimmed, type: binding.typeAnnotation?.type.trimmed,
        initialValue: binding.initializer?.value.trimmed, marker: marker))
  }
}
