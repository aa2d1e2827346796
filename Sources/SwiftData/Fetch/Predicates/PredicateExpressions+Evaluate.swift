// SPDX-License-Identifier: MIT

extension PredicateExpressions {
  /// `predicate.evaluate(input)` within another predicate.
  ///
  /// `#Predicate` writes this node on Apple's systems only; here it is made by hand.
  public struct PredicateEvaluate<Input: PredicateExpression>: PredicateExpression {
    /// A predicate is true or false.
    public typealias Output = Bool

    /// The predicate that is evaluated.
    public let predicate: Predicate<Input.Output>
    /// The expression of its input.
    public let input: Input

    /// Evaluates a predicate for the value of an expression.
    public init(predicate: Predicate<Input.Output>, input: Input) {
      self.predicate = predicate
      self.input = input
    }

    /// Whether the predicate holds for the input.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      guard case .value(let value) = try bindings.operand(of: input) else { throw NoValue() }
      return try bindings.binding(predicate.variable, to: value).value(of: predicate.expression)
    }
  }

  /// What the macro `#Predicate` writes for a call of `evaluate`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_evaluate<Input>(
    _ predicate: Value<Predicate<Input.Output>>, _ input: Input
  ) -> PredicateEvaluate<Input> { PredicateEvaluate(predicate: predicate.value, input: input) }
}

extension PredicateExpressions.PredicateEvaluate: Sendable where Input: Sendable {}

extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
where Input: StandardPredicateExpression {}

extension PredicateExpressions.PredicateEvaluate: Codable where Input: Codable {
  /// Throws: the expression has no coded form.
  public init(from decoder: any Decoder) throws { throw UncodedPredicate.notDecoded(decoder) }

  /// Throws: the expression has no coded form.
  public func encode(to encoder: any Encoder) throws { throw UncodedPredicate.notEncoded(encoder) }
}

extension PredicateExpressions.PredicateEvaluate: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    compilation.variables[predicate.variable.key] = try compilation.term(input)
    return .scalar(try compilation.condition(predicate.expression))
  }
}
