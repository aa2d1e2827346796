// SPDX-License-Identifier: MIT

// An element for which a condition has no value does not match.

extension PredicateExpressions.SequenceContains: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    guard case .value(let element) = try bindings.operand(of: element) else { return false }
    return try bindings.value(of: sequence).contains(element)
  }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try bindings.value(of: sequence).contains { try bindings.binding(variable, to: $0).isTrue(test) }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try bindings.value(of: sequence).allSatisfy { try bindings.binding(variable, to: $0).isTrue(test) }
  }
}

extension PredicateExpressions.Filter: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.value(of: sequence).filter { try bindings.binding(variable, to: $0).isTrue(filter) }
  }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try bindings.value(of: elements).max() }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try bindings.value(of: elements).min() }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let collection = try bindings.value(of: wrapped)
    guard case .value(let index) = try bindings.operand(of: index), collection.indices.contains(index) else {
      throw NoValue()
    }
    return collection[index]
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.value(of: wrapped)[bindings.value(of: key)]
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try bindings.value(of: wrapped)[bindings.value(of: key)] ?? bindings.value(of: `default`)
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try bindings.value(of: base).contains(bindings.value(of: other))
  }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try bindings.value(of: base).starts(with: bindings.value(of: prefix))
  }
}
