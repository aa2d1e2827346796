// SPDX-License-Identifier: MIT

extension PredicateExpressions.Variable: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    guard let term = compilation.variables[key] else {
      throw PredicateCompilation.unsupported("the predicate uses a variable of another predicate")
    }
    return term
  }
}

extension PredicateExpressions.Value: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term { .constant(value) }
}

extension PredicateExpressions.NilLiteral: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term { .constant(Output.none as Any) }
}

extension PredicateExpressions.Equal: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.equal(compilation.term(lhs), compilation.term(rhs)))
  }
}

extension PredicateExpressions.NotEqual: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.equal(compilation.term(lhs), compilation.term(rhs)).opposite)
  }
}

extension PredicateExpressions.Comparison: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let order: Order =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw PredicateCompilation.unsupported("the comparison \(op) has no SQL")
      }
    return .scalar(try compilation.compare(compilation.term(lhs), order, compilation.term(rhs), LHS.Output.self))
  }
}

extension PredicateExpressions.Conjunction: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(compilation.both(try compilation.condition(lhs), try compilation.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(compilation.either(try compilation.condition(lhs), try compilation.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term { .scalar(try compilation.condition(wrapped).opposite) }
}

extension PredicateExpressions.Conditional: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let test = try compilation.condition(test)
    if let known = test.known { return known ? try compilation.term(trueBranch) : try compilation.term(falseBranch) }
    let left = try compilation.needing(onlyWhere: test) { try compilation.term(trueBranch) }
    let right = try compilation.needing(onlyWhere: test.opposite) { try compilation.term(falseBranch) }
    func choice(_ left: String, _ right: String) -> String {
      "(CASE WHEN \(test.filter) THEN \(left) ELSE \(right) END)"
    }
    return try compilation.merged(left, right, isNullable: { $0 || $1 }, choice)
  }
}
