// SPDX-License-Identifier: MIT

internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension StoredProperty {
  /// The property's entry in the table of a class.
  func metadata(root: String) -> String {
    """
    SwiftData.Schema.PropertyMetadata(
          name: \(StringLiteralExprSyntax(content: name)), keypath: \\\(root).\(identifier.text),
          defaultValue: \(defaultValue),
          metadata: \(annotation)\(isOneWay ? ", _isOneWay: true" : ""))
    """
  }

  /// The initial value, typed as the property is: `.now` and `[]` tell nothing on their own.
  private var defaultValue: String {
    guard let initialValue else { return "nil" }
    guard let type else { return "\(initialValue)" }
    return "\(initialValue.asOperand) as \(type.asCastTarget)"
  }

  /// Whether `inverse: nil` is written, which says more than no `inverse:`: that there is none to be found.
  private var isOneWay: Bool {
    marker?.labeledArguments.contains { $0.label?.text == "inverse" && $0.expression.is(NilLiteralExprSyntax.self) }
      ?? false
  }

  private var annotation: String {
    guard let marker else { return "nil" }
    return "SwiftData.Schema.\(marker.markerName)(\(marker.labeledArguments.trimmedDescription))"
  }
}

extension ModelClass {
  /// The entries of `#Unique` and `#Index`, which belong to no one property.
  var constraintMetadata: [String] {
    var counts: [String: Int] = [:]
    return constraints.map { constraint in
      let kind = constraint.macroName.text
      let index = counts[kind, default: 0]
      counts[kind] = index + 1
      return """
        SwiftData.Schema.PropertyMetadata(
              name: "_\(kind.lowercased())\(index)", keypath: \\\(name).persistentModelID,
              metadata: SwiftData.Schema.\(kind)<\(name)>(\(constraint.arguments.trimmedDescription)))
        """
    }
  }
}

extension ExprSyntax {
  /// The expression in a form `as` can follow.
  fileprivate var asOperand: String {
    switch self.as(ExprSyntaxEnum.self) {
    case .ifExpr, .switchExpr: "{ \(self) }()"
    case .sequenceExpr, .infixOperatorExpr, .ternaryExpr, .tryExpr, .closureExpr, .unsafeExpr: "(\(self))"
    default: description
    }
  }
}

extension TypeSyntax {
  /// The type in a form that can stand behind `as`: `Owner!` there is `Owner?`.
  fileprivate var asCastTarget: String {
    guard let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return description }
    return "\(implicit.wrappedType)?"
  }
}
