// SPDX-License-Identifier: MIT

// A condition without a value decides nothing: the other side of `&&` and `||` may.

extension PredicateExpressions.Conjunction: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    do { guard try bindings.value(of: lhs) else { return false } } catch let problem as NoValue {
      guard try bindings.value(of: rhs) else { return false }
      throw problem
    }
    return try bindings.value(of: rhs)
  }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    do { if try bindings.value(of: lhs) { return true } } catch let problem as NoValue {
      if try bindings.value(of: rhs) { return true }
      throw problem
    }
    return try bindings.value(of: rhs)
  }
}

extension PredicateExpressions.Negation: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try !bindings.value(of: wrapped) }
}

extension PredicateExpressions.Conditional: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.isTrue(test) ? bindings.value(of: trueBranch) : bindings.value(of: falseBranch)
  }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try bindings.areEqual(lhs, rhs) }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try !bindings.areEqual(lhs, rhs) }
}

extension PredicateExpressions.Comparison: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    switch op {
    case .lessThan: try bindings.compare(lhs, .less, rhs)
    case .lessThanOrEqual: try bindings.compare(lhs, .lessOrEqual, rhs)
    case .greaterThan: try bindings.compare(lhs, .greater, rhs)
    case .greaterThanOrEqual: try bindings.compare(lhs, .greaterOrEqual, rhs)
    @unknown default: try evaluate(bindings)
    }
  }
}

extension PredicateBindings {
  fileprivate func areEqual<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ right: Right
  ) throws -> Bool where Left.Output == Right.Output, Left.Output: Equatable {
    switch (try operand(of: left), try operand(of: right)) {
    case (.value(let a), .value(let b)): a == b
    case (let a, let b): a.number == b.number
    }
  }

  fileprivate func compare<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ order: Order, _ right: Right
  ) throws -> Bool where Left.Output == Right.Output, Left.Output: Comparable {
    try order.holds(operand(of: left), operand(of: right))
  }
}

extension Order {
  /// - Throws: `NoValue`.
  func holds<Value: Comparable>(_ left: CheckedOperand<Value>, _ right: CheckedOperand<Value>) throws -> Bool {
    if case .value(let a) = left, case .value(let b) = right { return holds(a, b) }
    guard let a = left.number, let b = right.number else { throw NoValue() }
    return holds(a, b)
  }

  func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}
