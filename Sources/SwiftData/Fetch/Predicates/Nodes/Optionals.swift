// SPDX-License-Identifier: MIT

internal import SQLite

extension PredicateExpressions.OptionalFlatMap: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let wrapped = try compilation.term(wrapped)
    let presence = compilation.presence(of: wrapped)
    compilation.variables[variable.key] = wrapped.unwrapped(as: presence == nil ? nil : variable.key)
    guard let presence else { return try compilation.term(transform) }
    let result = try compilation.needing(onlyWhere: presence) { try compilation.term(transform) }
    switch result {
    case .constant(let value):
      guard ConstantValue.unwrapped(value) != nil else { return result }
      return .scalar(guarded(try compilation.scalar(result), presence))
    case .scalar(let scalar): return .scalar(self.guarded(scalar, presence))
    case .json(let scalar): return .json(self.guarded(scalar, presence))
    case .object(let object): return .object(self.guarded(object, presence))
    case .identifier(let object): return .identifier(self.guarded(object, presence))
    case .structure(let structure):
      return .structure(
        StructureTerm(
          property: structure.property, columns: structure.columns.map { Self.guarded($0, presence) },
          isNullable: true, isCoded: structure.isCoded))
    case .rows(var rows):
      rows.presence = rows.presence.map { "(\(presence.sql) AND \($0))" } ?? presence.sql
      return .rows(rows)
    case .record, .range: throw PredicateCompilation.unsupported("an optional \(result.kind) has no SQL")
    }
  }

  /// NULL where the wrapped value is nil.
  private func guarded(_ scalar: Scalar, _ presence: Scalar) -> Scalar {
    var scalar = scalar
    scalar.isNullable = true
    // SQL that reads the variable is NULL by itself.
    guard !scalar.reads.contains(variable.key) else { return scalar }
    var result = Scalar(Self.guarded(scalar.sql, presence), scalar.type, isNullable: true)
    if scalar.type == Bool.self {
      result.filter = "(\(presence.sql) AND \(scalar.filter))"
      result.negated = Self.guarded(scalar.opposite.sql, presence)
      result.required = scalar.required
    }
    result.refusal = scalar.refusal
    result.isCoded = scalar.isCoded
    result.value = scalar.value
    return result
  }

  private static func guarded(_ sql: String, _ presence: Scalar) -> String {
    "(CASE WHEN \(presence.sql) THEN \(sql) END)"
  }

  private func guarded(_ object: ObjectTerm, _ presence: Scalar) -> ObjectTerm {
    var object = object
    object.isNullable = true
    guard !object.reads.contains(variable.key) else { return object }
    object.presence = object.presence.map { "(\(presence.sql) AND \($0))" } ?? presence.sql
    return object
  }
}

extension PredicateExpressions.NilCoalesce: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let left = try compilation.term(lhs)
    if case .constant(let value) = left {
      return ConstantValue.unwrapped(value) == nil ? try compilation.term(rhs) : left
    }
    guard let presence = compilation.presence(of: left) else { return left.unwrapped() }
    let right = try compilation.needing(onlyWhere: presence.opposite) { try compilation.term(rhs) }
    if case .scalar(let condition) = left, condition.type == Bool.self, case .constant(let value) = right,
      value as? Bool == false
    {
      var present = Scalar("coalesce(\(condition.sql), 0)", filter: condition.filter)
      present.required = condition.required
      return .scalar(present)
    }
    // A missing collection has no rows.
    if case .constant(let value) = right, (value as? any Collection)?.isEmpty ?? false {
      switch left {
      case .rows, .json: return left.unwrapped()
      default: break
      }
    }
    return try compilation.merged(left, right, isNullable: { $1 }, { "coalesce(\($0), \($1))" })
  }
}

extension PredicateExpressions.ForcedUnwrap: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let term = try compilation.term(inner)
    // A forced unwrap of nil throws.
    if case .constant(let value) = term, ConstantValue.unwrapped(value) == nil {
      return .scalar(.failure)
    }
    return compilation.unwrapped(term)
  }
}

extension PredicateCompilation {
  /// A term by force: conditions over it have no value where it is nil.
  func unwrapped(_ term: Term) -> Term { term.unwrapped(as: presence(of: term).map(need)) }

  /// Merges two terms into one, for which `text` chooses in each row.
  func merged(
    _ left: Term, _ right: Term, isNullable: (Bool, Bool) -> Bool, _ text: (String, String) -> String
  ) throws -> Term {
    if let object = Self.object(left) ?? Self.object(right) {
      let (one, two) = (try key(left, in: object.binding), try key(right, in: object.binding))
      let row = JoinedRow(object.binding, key: text(one.sql, two.sql), scope: scope)
      let merged = ObjectTerm(object.binding, row, isNullable: isNullable(one.isNullable, two.isNullable))
      if case .identifier = left { return .identifier(merged) }
      if case .identifier = right { return .identifier(merged) }
      return .object(merged)
    }
    let (one, two) = (try scalar(left, like: right), try scalar(right, like: left))
    var merged = Scalar(text(one.sql, two.sql), one.type, isNullable: isNullable(one.isNullable, two.isNullable))
    merged.value = one.value ?? two.value
    return .scalar(merged)
  }

  /// A captured value as the column beside it holds it.
  private func scalar(_ term: Term, like other: Term) throws -> Scalar {
    guard case .constant(let value) = term, case .scalar(let scalar) = other else { return try self.scalar(term) }
    return bound(try column(value, for: scalar) ?? .null, scalar.type)
  }

  private static func object(_ term: Term) -> ObjectTerm? {
    switch term {
    case .object(let object), .identifier(let object): object
    default: nil
    }
  }

  private func key(_ term: Term, in binding: EntityBinding) throws -> Scalar {
    if let object = Self.object(term) { return object.key }
    guard case .constant(let value) = term else {
      throw Self.unsupported("a \(term.kind) and a model object cannot stand for one another")
    }
    guard ConstantValue.unwrapped(value) != nil else { return bound(.null, Int64.self) }
    // No row has a negative key.
    return bound(.integer(Self.identifier(value).flatMap { row($0, in: binding) } ?? -1), Int64.self)
  }
}
