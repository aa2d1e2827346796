// SPDX-License-Identifier: MIT

/// An expression that is evaluated in memory by the rules of its SQL. Foundation's own evaluation stops the program
/// where an integer overflows or is divided by zero.
protocol CheckedExpression: PredicateExpression {
  /// - Throws: `NoValue` where SQL has NULL instead of a value, `WideNumber` for an integer that `Output` does not
  ///   hold.
  func checked(_ bindings: PredicateBindings) throws -> Output
}

/// An expression has no value: a forced unwrap of nil, a failed `as!`, a division of integers by zero.
struct NoValue: Error {}

extension Predicate {
  /// Whether the predicate holds, as SQL decides it for a row: one for which an expression has no value does not match.
  func holds(for input: repeat each Input) throws -> Bool {
    try PredicateBindings(repeat (each variable, each input)).isTrue(expression)
  }
}

extension PredicateBindings {
  /// - Throws: As `CheckedExpression.checked(_:)`.
  func value<Expression: PredicateExpression>(of expression: Expression) throws -> Expression.Output {
    func value<Node: CheckedExpression>(of node: Node) throws -> Expression.Output {
      try node.checked(self) as! Expression.Output
    }
    guard let node = expression as? any CheckedExpression else { return try expression.evaluate(self) }
    return try value(of: node)
  }

  /// Whether a condition is true; false where it has no value.
  func isTrue(_ condition: some PredicateExpression<Bool>) throws -> Bool {
    do { return try value(of: condition) } catch is NoValue { return false }
  }

  /// These bindings, with a variable for one more value.
  func binding<Value>(_ variable: PredicateExpressions.Variable<Value>, to value: Value) -> PredicateBindings {
    var bindings = self
    bindings[variable] = value
    return bindings
  }
}
