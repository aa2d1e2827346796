// SPDX-License-Identifier: MIT

extension PredicateExpressions.TypeCheck: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let object = try compilation.castable(input, to: Desired.self)
    guard let type = (Desired.self as? any PersistentModel.Type).map(ModelType.of) else {
      throw PredicateCompilation.notCastable(to: Desired.self)
    }
    if type.includes(object.binding.type) { return .scalar(try compilation.isNil(.object(object)).opposite) }
    let membership = object.membership(of: type, compilation)
    guard object.isNullable else {
      return .scalar(Scalar(membership, reads: object.reads))
    }
    return .scalar(Scalar("coalesce(\(membership), 0)", filter: membership))
  }
}

extension PredicateExpressions.ConditionalCast: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    try compilation.cast(compilation.castable(input, to: Desired.self), to: Desired.self)
  }
}

extension PredicateExpressions.ForceCast: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    compilation.unwrapped(try compilation.cast(compilation.castable(input, to: Desired.self), to: Desired.self))
  }
}

extension PredicateCompilation {
  fileprivate func castable<Expression: PredicateExpression>(
    _ expression: Expression, to type: Any.Type
  ) throws -> ObjectTerm {
    guard case .object(let object) = try term(expression) else { throw Self.notCastable(to: type) }
    return object
  }

  fileprivate func cast(_ object: ObjectTerm, to type: Any.Type) throws -> Term {
    let type = OptionalTypes.unwrapped(type)
    guard let model = type as? any PersistentModel.Type else { throw Self.notCastable(to: type) }
    return .object(try object.cast(to: ModelType.of(model), self))
  }

  fileprivate static func notCastable(to type: Any.Type) -> SwiftDataError {
    unsupported("only model objects are cast in SQL, to model classes; \(type) is not one")
  }
}
