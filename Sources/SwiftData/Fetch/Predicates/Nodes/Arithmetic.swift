// SPDX-License-Identifier: MIT

extension PredicateExpressions.Arithmetic: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let sign =
      switch op {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      @unknown default: throw PredicateCompilation.unsupported("the arithmetic \(op) has no SQL")
      }
    return .scalar(try compilation.arithmetic(compilation.term(lhs), sign, compilation.term(rhs), Output.self))
  }
}

extension PredicateExpressions.IntDivision: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.division(compilation.term(lhs), "/", compilation.term(rhs), Output.self))
  }
}

extension PredicateExpressions.IntRemainder: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.division(compilation.term(lhs), "%", compilation.term(rhs), Output.self))
  }
}

extension PredicateExpressions.FloatDivision: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let (left, right) = try compilation.operands(compilation.term(lhs), compilation.term(rhs), Output.self)
    // SQL divides by zero to NULL, floating point to infinity.
    return .scalar(
      Scalar(
        "(CASE WHEN \(right.sql) = 0 THEN \(left.sql) * 9e999 ELSE \(left.sql) / \(right.sql) END)", Output.self,
        reads: left.reads.union(right.reads)))
  }
}

extension PredicateExpressions.UnaryMinus: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    try PredicateCompilation.refuseInexact(Output.self)
    let scalar = try compilation.scalar(compilation.term(wrapped))
    return .scalar(Scalar("(-\(scalar.sql))", Output.self, reads: scalar.reads))
  }
}

extension PredicateCompilation {
  fileprivate func arithmetic(_ left: Term, _ sign: String, _ right: Term, _ type: Any.Type) throws -> Scalar {
    let (left, right) = try operands(left, right, type)
    return Scalar("(\(left.sql) \(sign) \(right.sql))", type, reads: left.reads.union(right.reads))
  }

  /// Of integers: SQL divides by zero to NULL.
  fileprivate func division(_ left: Term, _ sign: String, _ right: Term, _ type: Any.Type) throws -> Scalar {
    var result = try arithmetic(left, sign, right, type)
    result.reads.insert(need(Scalar("(\(try scalar(right).sql) <> 0)")))
    return result
  }

  fileprivate func operands(_ left: Term, _ right: Term, _ type: Any.Type) throws -> (Scalar, Scalar) {
    try Self.refuseInexact(type)
    return (try scalar(left), try scalar(right))
  }

  /// SQLite calculates with integers of 64 bits with a sign, and with Double.
  fileprivate static func refuseInexact(_ type: Any.Type) throws {
    switch type {
    case is Double.Type, is CGFloat.Type: return
    case is UInt.Type, is UInt64.Type: break
    case is any FixedWidthInteger.Type: return
    default: break
    }
    throw unsupported("SQL does not calculate with \(type) as Swift does: use Int or Double")
  }
}
