// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension VariableDeclSyntax {
  /// `@Attribute`, `@Relationship` and `@Transient` in the order they are written.
  var markers: [AttributeSyntax] {
    attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { ["Attribute", "Relationship", "Transient"].contains($0.markerName) }
  }

  var isOfType: Bool { modifiers.contains(.static, .class) }

  /// Whether no value is stored: every binding has a body of its own, observers apart.
  var isComputed: Bool {
    bindings.allSatisfy { binding in
      guard let body = binding.accessorBlock else { return false }
      guard case .accessors(let accessors) = body.accessors else { return true }
      return !accessors.contains(where: \.isObserver)
    }
  }

  /// A transient property needs a value from the start, because an object read from the store gets none.
  var transientProblems: [Diagnostic] {
    bindings.compactMap { binding in
      if binding.initializer != nil { return nil }
      if bindingSpecifier.tokenKind == .keyword(.var), binding.typeAnnotation?.type.isOptional ?? false { return nil }
      return Diagnostic(
        "transientWithoutValue",
        "'@Transient' property '\(binding.pattern.trimmedDescription)' needs an initial value, "
          + "because an object read from the store gets none for it",
        at: binding.pattern, fixIts: [.addInitialValue(to: binding)])
    }
  }

  /// Why the one property declared here cannot be stored.
  ///
  /// Up to language mode 5 Swift gives a `let` accessors like a `var`, with a warning of its own.
  func storageProblems(
    of name: TokenSyntax, _ binding: PatternBindingSyntax, in configuration: (any BuildConfiguration)?
  ) -> [Diagnostic] {
    if bindingSpecifier.tokenKind == .keyword(.let), let mode = configuration?.languageVersion, mode >= VersionTuple(6)
    {
      var repairs: [FixIt] = [.replaceWord(bindingSpecifier, with: .var)]
      if binding.initializer != nil { repairs.append(.addTransient(to: self)) }
      return [
        Diagnostic(
          "letProperty", "a stored property of a '@Model' class must be a 'var'", at: bindingSpecifier, fixIts: repairs)
      ]
    }
    if let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      return [
        Diagnostic(
          "lazyProperty", "a stored property of a '@Model' class cannot be 'lazy'", at: modifier,
          fixIts: [.removeModifier(modifier, of: self), .addTransient(to: self)])
      ]
    }
    if let attribute = foreignAttribute {
      return [
        Diagnostic(
          "wrappedProperty",
          "a stored property of a '@Model' class cannot have a property wrapper or an actor of its own", at: attribute,
          fixIts: [.removeAttribute(attribute, of: self), .addTransient(to: self)])
      ]
    }
    guard binding.typeAnnotation == nil, let value = binding.initializer?.value, value.needsType else { return [] }
    let typed = binding.with(\.pattern.trailingTrivia, [])
      .with(\.typeAnnotation, TypeAnnotationSyntax(type: TypeSyntax(" <#type#>"), trailingTrivia: .space))
    return [
      Diagnostic(
        "typelessProperty", "the value does not tell the type of '\(name.text)'; write the type", at: value,
        fixIts: [.replace("addType", "add a type", binding, by: typed)])
    ]
  }

  /// What is written on a stored property and does nothing, because the value lies in the object's backing.
  var storageWarnings: [Diagnostic] {
    // `filter` of a list of syntax makes a new tree, whose nodes have no place in the source.
    let warnings = modifiers.compactMap { modifier -> Diagnostic? in
      guard [.keyword(.weak), .keyword(.unowned)].contains(modifier.name.tokenKind) else { return nil }
      return Diagnostic(
        "referenceModifier", "'\(modifier.name.text)' has no effect on a stored property of a '@Model' class",
        at: modifier, severity: .warning, fixIts: [.removeModifier(modifier, of: self), .addTransient(to: self)])
    }
    return warnings
      + bindings.compactMap { binding in
        guard let observers = binding.accessorBlock else { return nil }
        return Diagnostic(
          "observedProperty",
          "the observers of a stored property of a '@Model' class are never called; "
            + "follow its changes with 'withObservationTracking'",
          at: observers, severity: .warning, fixIts: binding.initializer == nil ? [] : [.addTransient(to: self)])
      }
  }

  /// `@Attribute` and `@Relationship` where no value is stored.
  var misplacedMarkers: [Diagnostic] {
    guard isOfType || isComputed else { return [] }
    return markers.filter { $0.markerName != "Transient" }.map { marker in
      Diagnostic(
        "misplacedMarker",
        "'@\(marker.attributeName.trimmedDescription)' has no meaning on a "
          + "\(isOfType ? "static" : "computed") property",
        at: marker, severity: .warning, fixIts: [.removeAttribute(marker, of: self)])
    }
  }

  /// Swift attaches accessors to one name at a time.
  var severalNamesProblem: Diagnostic {
    let names = bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self) }
    guard names.count == bindings.count else {
      return Diagnostic(
        "patternProperty", "declare each stored property of a '@Model' class by its own name", at: bindings)
    }
    return Diagnostic(
      "severalNames", "declare each stored property of a '@Model' class with its own '\(bindingSpecifier.text)'",
      at: bindings, fixIts: [.splitBindings(of: self)])
  }

  /// The first attribute that is neither Swift's own, all in small letters, nor one of the markers.
  private var foreignAttribute: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
      let name = attribute.markerName
      return name.first?.isUppercase == true
        && !["Attribute", "Relationship", "Transient", "ObservationIgnored"].contains(name)
    }
  }
}

extension AccessorDeclSyntax {
  var isObserver: Bool {
    accessorSpecifier.tokenKind == .keyword(.willSet) || accessorSpecifier.tokenKind == .keyword(.didSet)
  }
}

extension ExprSyntax {
  /// Whether the expression has no type of its own: `nil`, `.now`, `[]`, `[:]`.
  fileprivate var needsType: Bool {
    if self.is(NilLiteralExprSyntax.self) { return true }
    if let array = self.as(ArrayExprSyntax.self) { return array.elements.isEmpty }
    if let dictionary = self.as(DictionaryExprSyntax.self) { return dictionary.content.is(TokenSyntax.self) }
    var head = self
    while true {
      if let member = head.as(MemberAccessExprSyntax.self) {
        guard let base = member.base else { return true }
        head = base
      } else if let call = head.as(FunctionCallExprSyntax.self) {
        head = call.calledExpression
      } else {
        return false
      }
    }
  }
}
