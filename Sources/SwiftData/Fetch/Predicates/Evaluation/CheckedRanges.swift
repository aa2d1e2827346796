// SPDX-License-Identifier: MIT

extension PredicateExpressions.Range: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let (lower, upper) = try ordered(operands(bindings, as: LHS.Output.self))
    return lower..<upper
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let (lower, upper) = try ordered(operands(bindings, as: LHS.Output.self))
    return lower...upper
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    let element = try bindings.operand(of: element)
    if let node = range as? any RangeNode {
      let (lower, upper) = try node.operands(bindings, as: Element.Output.self)
      return try Order.greaterOrEqual.holds(element, lower) && node.upperOrder.holds(element, upper)
    }
    let range = try bindings.value(of: range)
    switch element {
    case .value(let value): return range.contains(value)
    case .wide(let number):
      guard let bounds = (range as? any BoundedRange)?.bounds else { throw NoValue() }
      return bounds.contains(number)
    }
  }
}

/// A range whose bounds are expressions.
private protocol RangeNode {
  associatedtype Lower: PredicateExpression
  associatedtype Upper: PredicateExpression

  var lower: Lower { get }
  var upper: Upper { get }
  /// How an element of the range compares with its upper bound.
  var upperOrder: Order { get }
}

extension PredicateExpressions.Range: RangeNode {
  fileprivate var upperOrder: Order { .less }
}

extension PredicateExpressions.ClosedRange: RangeNode {
  fileprivate var upperOrder: Order { .lessOrEqual }
}

extension RangeNode {
  /// - Parameter type: That of both bounds.
  fileprivate func operands<Bound>(
    _ bindings: PredicateBindings, as type: Bound.Type
  ) throws -> (CheckedOperand<Bound>, CheckedOperand<Bound>) {
    (try bindings.operand(of: lower).cast(), try bindings.operand(of: upper).cast())
  }

  fileprivate func ordered<Bound: Comparable>(
    _ bounds: (lower: CheckedOperand<Bound>, upper: CheckedOperand<Bound>)
  ) throws -> (Bound, Bound) {
    guard case .value(let lower) = bounds.lower, case .value(let upper) = bounds.upper, lower <= upper else {
      throw NoValue()
    }
    return (lower, upper)
  }
}

extension CheckedOperand {
  fileprivate func cast<Other>() -> CheckedOperand<Other> {
    switch self {
    case .value(let value): .value(value as! Other)
    case .wide(let number): .wide(number)
    }
  }
}

extension RangeTerm {
  fileprivate func contains(_ number: SQLNumber) -> Bool {
    func bound(_ term: Term?) -> SQLNumber? {
      if case .constant(let value)? = term { SQLNumber(value) } else { nil }
    }
    let upperOrder = includesUpper ? Order.lessOrEqual : .less
    return bound(lower).map { Order.greaterOrEqual.holds(number, $0) } ?? true
      && bound(upper).map { upperOrder.holds(number, $0) } ?? true
  }
}
