// SPDX-License-Identifier: MIT

extension PredicateExpressions.Arithmetic: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    switch op {
    case .add: try bindings.calculate(lhs, .add, rhs) { $0 + $1 }
    case .subtract: try bindings.calculate(lhs, .subtract, rhs) { $0 - $1 }
    case .multiply: try bindings.calculate(lhs, .multiply, rhs) { $0 * $1 }
    @unknown default: try evaluate(bindings)
    }
  }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.calculate(lhs, .divide, rhs) { $0 / $1 }
  }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.calculate(lhs, .remainder, rhs) { $0 % $1 }
  }
}

extension PredicateExpressions.FloatDivision: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.value(of: lhs) / bindings.value(of: rhs)
  }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let operand = try bindings.operand(of: wrapped)
    return try PredicateBindings.result(.value(.zero), .subtract, operand) { -$1 }
  }
}

extension PredicateBindings {
  /// - Parameter body: The operation for types that are not integers of a fixed width.
  fileprivate func calculate<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ operation: NumberOperation, _ right: Right, _ body: (Left.Output, Left.Output) -> Left.Output
  ) throws -> Left.Output where Left.Output == Right.Output {
    try Self.result(operand(of: left), operation, operand(of: right), body)
  }

  fileprivate static func result<Number>(
    _ left: CheckedOperand<Number>, _ operation: NumberOperation, _ right: CheckedOperand<Number>,
    _ body: (Number, Number) -> Number
  ) throws -> Number {
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
      if case .value(let a) = left, case .value(let b) = right,
        let result = (a as! Integer).exactly(operation, b as! Integer)
      {
        return result
      }
      guard let a = left.number, let b = right.number else { throw NoValue() }
      let number = try SQLNumber.calculate(a, operation, b)
      if case .integer(let integer) = number, let result = Integer(exactly: integer) { return result }
      throw WideNumber(number: number)
    }
    if let type = Number.self as? any FixedWidthInteger.Type { return try integer(type) as! Number }
    guard case .value(let a) = left, case .value(let b) = right else { throw NoValue() }
    return body(a, b)
  }
}
