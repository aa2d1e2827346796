// SPDX-License-Identifier: MIT

extension PredicateExpressions.KeyPath: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let value = try bindings.value(of: root)
    // A required relationship leads nowhere once its object was deleted.
    if Output.self is any PersistentModel.Type, let state = (value as? any PersistentModel)?.state,
      let index = state.type.index(of: keyPath), !state.hasTarget(at: index)
    {
      throw NoValue()
    }
    return value[keyPath: keyPath]
  }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try bindings.value(of: wrapped) else { return nil }
    let result = try bindings.binding(variable, to: value).value(of: transform)
    return RHS.Output.self == Result.self ? .some(result as! Result) : result as! Output
  }
}

extension PredicateExpressions.NilCoalesce: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.value(of: lhs) ?? bindings.value(of: rhs)
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try bindings.value(of: inner) else { throw NoValue() }
    return value
  }
}

extension PredicateExpressions.TypeCheck: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try bindings.value(of: input) is Desired }
}

extension PredicateExpressions.ConditionalCast: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try bindings.value(of: input) as? Desired }
}

extension PredicateExpressions.ForceCast: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try bindings.value(of: input) as? Desired else { throw NoValue() }
    return value
  }
}
