// SPDX-License-Identifier: MIT

extension PredicateExpressions.SequenceContains: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let sequence = try compilation.term(sequence)
    if case .constant(let values) = sequence {
      return .scalar(try compilation.isOne(compilation.term(element), of: (values as! LHS.Output).map { $0 }))
    }
    if LHS.Output.self is any StringProtocol.Type {
      return .scalar(try compilation.contains(sequence, compilation.term(element)))
    }
    let element = try compilation.term(element)
    let rows = try compilation.rows(sequence)
    return .scalar(try rows.exists(compilation) { try compilation.equal($0, element).filter })
  }
}

extension PredicateExpressions.SequenceContainsWhere: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let rows = try compilation.rows(compilation.term(sequence))
    return .scalar(
      try rows.exists(compilation) { element in
        compilation.variables[variable.key] = element
        return try compilation.condition(test).filter
      })
  }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let rows = try compilation.rows(compilation.term(sequence))
    return .scalar(
      try rows.exists(compilation) { element in
        compilation.variables[variable.key] = element
        // Not the opposite: an element for which the condition has no value does not match.
        return "(\(try compilation.condition(test).sql) IS NOT TRUE)"
      }.opposite)
  }
}

extension PredicateExpressions.Filter: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let rows = try compilation.rows(compilation.term(sequence))
    return .rows(
      rows.filtered { compilation, element in
        compilation.variables[variable.key] = element
        return try compilation.condition(filter).filter
      })
  }
}

extension PredicateExpressions.SequenceMaximum: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.extreme("max", compilation.term(elements), Elements.Output.Element.self))
  }
}

extension PredicateExpressions.SequenceMinimum: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(try compilation.extreme("min", compilation.term(elements), Elements.Output.Element.self))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    guard case .json(let column) = try compilation.term(wrapped), Index.Output.self == Int.self else {
      throw PredicateCompilation.unsupported(
        "only elements of arrays that are attributes are found by index in SQL; the objects of a relationship have no "
          + "order")
    }
    return .scalar(try compilation.element(of: column, at: compilation.scalar(compilation.term(index))))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .scalar(
      try compilation.value(
        in: compilation.term(wrapped), of: compilation.term(key), Key.Output.self, Value.self))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let found = try compilation.value(
      in: compilation.term(wrapped), of: compilation.term(key), Key.Output.self, Default.Output.self)
    return try compilation.merged(
      .scalar(found), compilation.term(`default`), isNullable: { $1 }, { "coalesce(\($0), \($1))" })
  }
}

extension PredicateCompilation {
  /// - Throws: `SwiftDataError.unsupportedPredicate` for what is not a collection of rows.
  fileprivate func rows(_ term: Term) throws -> RowsTerm {
    switch term {
    case .rows(let rows): return rows
    case .json(let column):
      if let reason = column.refusal { throw Self.unsupported(reason) }
      if let rows = RowsTerm(json: column) { return rows }
      throw Self.unsupported(
        "the elements of \(column.type) are stored as JSON, in which SQL only compares text, integers and booleans")
    case .constant(let value):
      if let rows = try captured(value) { return rows }
      throw Self.unsupported(
        "a condition on the elements of a captured \(type(of: value)) has no SQL: only text, integers and booleans are "
          + "looked through")
    default: throw Self.unsupported("a \(term.kind) cannot be looked through in SQL")
    }
  }

  private func captured(_ value: Any) throws -> RowsTerm? {
    func elements<Content: Collection>(_ collection: Content) throws -> RowsTerm? {
      guard let type = RowsTerm.comparable(Content.Element.self) else { return nil }
      return RowsTerm(values: try collection.map(ConstantValue.column), type)
    }
    guard let collection = ConstantValue.unwrapped(value) as? any Collection else { return nil }
    return try elements(collection)
  }

  fileprivate func extreme(_ function: String, _ collection: Term, _ type: Any.Type) throws -> Scalar {
    guard case .json = collection, RowsTerm.comparable(type) != nil, type is any ColumnValue.Type, type != Bool.self
    else {
      throw Self.unsupported("\(function)() has SQL only for arrays of text or integers that are attributes")
    }
    let rows = try rows(collection)
    let query = try rows.select(self, { "\(function)(\(try self.scalar($0).sql))" })
    return Scalar("(\(query))", type, isNullable: true)
  }

  fileprivate func element(of column: Scalar, at index: Scalar) throws -> Scalar {
    guard let collection = column.type as? any ElementsProtocol.Type,
      let type = RowsTerm.comparable(collection.elementType)
    else { throw Self.unsupported("the elements of \(column.type) have no SQL") }
    return element(of: column, key: index.sql, type)
  }

  fileprivate func value(in dictionary: Term, of key: Term, _ keyType: Any.Type, _ type: Any.Type) throws -> Scalar {
    guard case .json(let column) = dictionary, keyType == String.self, let type = RowsTerm.comparable(type) else {
      throw Self.unsupported(
        "only attributes that are dictionaries from text to text, integers or booleans are looked up in SQL")
    }
    return element(of: column, key: try scalar(key).sql, type, isNullable: true)
  }

  private func element(of column: Scalar, key: String, _ type: Any.Type, isNullable: Bool = false) -> Scalar {
    let alias = alias()
    return Scalar(
      "(SELECT \(alias).value FROM json_each(CAST(\(column.sql) AS TEXT)) \(alias) WHERE \(alias).key = \(key))", type,
      isNullable: isNullable)
  }
}
