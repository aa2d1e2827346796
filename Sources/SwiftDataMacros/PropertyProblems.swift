// SPDX-License-Identifier: MIT

internal import SwiftDiagnostics
internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension AttributeSyntax {
  /// The attribute's name without the module before it.
  var markerName: String { attributeName.lastName }
}

extension VariableDeclSyntax {
  /// `@Attribute`, `@Relationship` and `@Transient` in the order they are written.
  var markers: [AttributeSyntax] {
    attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { ["Attribute", "Relationship", "Transient"].contains($0.markerName) }
  }

  func hasModifier(_ keywords: Keyword...) -> Bool {
    modifiers.contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
  }

  var isOfType: Bool { hasModifier(.static, .class) }

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
      if bindingSpecifier.tokenKind == .keyword(.var), let type = binding.typeAnnotation?.type,
        type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      {
        return nil
      }
      return Diagnostic(
        node: binding.pattern,
        message: ModelDiagnostic(
          id: "transientWithoutValue",
          message: "'@Transient' property '\(binding.pattern.trimmedDescription)' needs an initial value, "
            + "because an object read from the store gets none for it"),
        fixIt: .addInitialValue(to: binding))
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
          node: bindingSpecifier,
          message: ModelDiagnostic(id: "letProperty", message: "a stored property of a '@Model' class must be a 'var'"),
          fixIts: repairs)
      ]
    }
    if let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      return [
        Diagnostic(
          node: modifier,
          message: ModelDiagnostic(
            id: "lazyProperty", message: "a stored property of a '@Model' class cannot be 'lazy'"),
          fixIts: [.removeModifier(modifier, of: self), .addTransient(to: self)])
      ]
    }
    if let attribute = foreignAttribute {
      return [
        Diagnostic(
          node: attribute,
          message: ModelDiagnostic(
            id: "wrappedProperty",
            message: "a stored property of a '@Model' class cannot have a property wrapper or an actor of its own"),
          fixIts: [.removeAttribute(attribute, of: self), .addTransient(to: self)])
      ]
    }
    guard binding.typeAnnotation == nil, let value = binding.initializer?.value, value.needsType else { return [] }
    return [
      Diagnostic(
        node: value,
        message: ModelDiagnostic(
          id: "typelessProperty", message: "the value does not tell the type of '\(name.text)'; write the type"),
        fixIt: .replace(
          message: Repair(id: "addType", message: "add a type"), oldNode: binding,
          newNode: binding.with(\.pattern.trailingTrivia, [])
            .with(\.typeAnnotation, TypeAnnotationSyntax(type: TypeSyntax(" <#type#>"), trailingTrivia: .space))))
    ]
  }

  /// What is written on a stored property and does nothing, because the value lies in the object's backing.
  var storageRemarks: [Diagnostic] {
    var remarks: [Diagnostic] = []
    for modifier in modifiers where [.keyword(.weak), .keyword(.unowned)].contains(modifier.name.tokenKind) {
      let message = "'\(modifier.name.text)' has no effect on a stored property of a '@Model' class"
      remarks.append(
        Diagnostic(
          node: modifier,
          message: ModelDiagnostic(id: "referenceModifier", message: message, severity: .warning),
          fixIts: [.removeModifier(modifier, of: self), .addTransient(to: self)]))
    }
    for binding in bindings {
      guard let observers = binding.accessorBlock else { continue }
      let message =
        "the observers of a stored property of a '@Model' class are never called; "
        + "follow its changes with 'withObservationTracking'"
      remarks.append(
        Diagnostic(
          node: observers,
          message: ModelDiagnostic(id: "observedProperty", message: message, severity: .warning),
          fixIts: binding.initializer == nil ? [] : [.addTransient(to: self)]))
    }
    return remarks
  }

  /// `@Attribute` and `@Relationship` where no value is stored.
  var misplacedMarkers: [Diagnostic] {
    guard isOfType || isComputed else { return [] }
    return markers.filter { $0.markerName != "Transient" }.map { marker in
      Diagnostic(
        node: marker,
        message: ModelDiagnostic(
          id: "misplacedMarker",
          message: "'@\(marker.attributeName.trimmedDescription)' has no meaning on a "
            + "\(isOfType ? "static" : "computed") property", severity: .warning),
        fixIt: .removeAttribute(marker, of: self))
    }
  }

  /// Swift attaches accessors to one name at a time.
  var severalNamesProblem: Diagnostic {
    let names = bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self) }
    guard names.count == bindings.count else {
      return Diagnostic(
        node: bindings,
        message: ModelDiagnostic(
          id: "patternProperty", message: "declare each stored property of a '@Model' class by its own name"))
    }
    return Diagnostic(
      node: bindings,
      message: ModelDiagnostic(
        id: "severalNames", message: "declare each stored property of a '@Model' class with its own '\(keyword)'"),
      fixIt: .splitBindings(of: self))
  }

  private var keyword: String { bindingSpecifier.text }

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
