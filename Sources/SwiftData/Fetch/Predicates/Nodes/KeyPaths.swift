// SPDX-License-Identifier: MIT

extension PredicateExpressions.KeyPath: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let base = try compilation.term(root)
    switch base {
    case .object(let object): return try property(of: object, compilation)
    case .structure(let structure): return try element(of: structure)
    case .scalar(let scalar): return .scalar(try reading(scalar, compilation))
    case .json(let column):
      if let element = column.element(at: keyPath) { return element }
      guard let rows = RowsTerm(json: column) else { throw unsupported("is stored as JSON") }
      return .scalar(try reading(rows, compilation))
    case .rows(let rows): return .scalar(try reading(rows, compilation))
    case .record(let record):
      guard let property = record.property(at: keyPath) else { throw unsupported("has no column for it") }
      return property
    case .constant, .identifier, .range: throw unsupported("has no SQL")
    }
  }

  private func unsupported(_ reason: String) -> SwiftDataError {
    PredicateCompilation.unsupported(
      "a property of \(Root.Output.self), of type \(Output.self), \(reason): the predicate can only use stored "
        + "properties, and count, isEmpty and rawValue of them")
  }

  private func property(of object: ObjectTerm, _ compilation: PredicateCompilation) throws -> Term {
    if let index = object.binding.type.index(of: keyPath) { return try object.property(index, compilation) }
    if object.binding.type.isIdentity(keyPath) { return .identifier(object) }
    throw PredicateCompilation.unsupported(
      "\(object.binding.type.name) has no stored property of type \(Output.self) at a key path of the predicate: "
        + "computed and transient properties have no column; compare the properties they are made of")
  }

  private func element(of structure: StructureTerm) throws -> Term {
    guard let element = structure.property.coder?.element(of: keyPath) else { throw unsupported("is not stored") }
    var column = Scalar(
      structure.columns[element.index], element.type,
      isNullable: structure.isNullable || Output.self is any OptionalProtocol.Type)
    column.isCoded = structure.isCoded
    return ConstantValue.Shape(element.type) == nil ? .json(column) : .scalar(column)
  }

  private func reading(_ scalar: Scalar, _ compilation: PredicateCompilation) throws -> Scalar {
    if let reason = scalar.refusal { throw PredicateCompilation.unsupported(reason) }
    func made(_ sql: String, negated: String? = nil) -> Scalar {
      Scalar(sql, Output.self, reads: scalar.reads, negated: negated)
    }
    switch keyPath as AnyKeyPath {
    case \String.isEmpty, \Substring.isEmpty: return made("(\(scalar.sql) = '')", negated: "(\(scalar.sql) <> '')")
    case \String.count, \Substring.count: return made("text_count(\(scalar.sql))")
    case \Data.count: return made("length(\(scalar.sql))")
    case \Data.isEmpty: return made("(length(\(scalar.sql)) = 0)")
    case \URL.absoluteString, \Date.timeIntervalSinceReferenceDate: return made(scalar.sql)
    case \Date.timeIntervalSince1970:
      return made("(\(scalar.sql) + \(Date.timeIntervalBetween1970AndReferenceDate))")
    default: break
    }
    if let read = try EnumerationCases(scalar.type)?.read(keyPath, of: scalar, compilation) { return read }
    if Self.isWholeStructure(keyPath, scalar.type) { return made(scalar.sql) }
    throw unsupported("has no SQL")
  }

  private func reading(_ rows: RowsTerm, _ compilation: PredicateCompilation) throws -> Scalar {
    guard let collection = Root.Output.self as? any ElementsProtocol.Type else { throw unsupported("has no SQL") }
    if keyPath == collection.countPath { return try rows.count(compilation) }
    if keyPath == collection.isEmptyPath { return try rows.exists(compilation).opposite }
    throw unsupported("has no SQL")
  }

  /// Whether a structure that is stored by its raw value has that alone, and the key path reads it.
  private static func isWholeStructure(_ keyPath: AnyKeyPath, _ type: Any.Type) -> Bool {
    func reads<Content: RawRepresentable>(_ type: Content.Type) -> Bool {
      guard let path = keyPath as? PartialKeyPath<Content>, Content.RawValue.self == Output.self else { return false }
      return MemoryLayout<Content>.offset(of: path) == 0
        && MemoryLayout<Content>.size == MemoryLayout<Content.RawValue>.size
    }
    guard let raw = type as? any RawRepresentable.Type, !(type is any ColumnValue.Type) else { return false }
    return reads(raw)
  }
}
