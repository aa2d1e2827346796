// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Equality and nil, as Swift has them: nil equals nil.
extension PredicateCompilation {
  func equal(_ left: Term, _ right: Term) throws -> Scalar {
    switch (left, right) {
    case (.constant(let value), _) where ConstantValue.unwrapped(value) == nil: return try isNil(right)
    case (_, .constant(let value)) where ConstantValue.unwrapped(value) == nil: return try isNil(left)
    case (.scalar(let failed), _) where failed.isFailure: return .failure
    case (_, .scalar(let failed)) where failed.isFailure: return .failure
    case (.constant(let value), let term), (let term, .constant(let value)): return try equal(term, captured: value)
    case (.object(let left), .object(let right)), (.identifier(let left), .identifier(let right)):
      return equal(left.key, right.key)
    default: return equal(try scalar(left), try scalar(right))
    }
  }

  private func equal(_ term: Term, captured value: Any) throws -> Scalar {
    switch term {
    case .scalar(let scalar): return try equal(scalar, captured: value)
    case .record: return try equal(scalar(term), captured: value)
    case .object(let object), .identifier(let object):
      guard let identifier = Self.identifier(value) else {
        throw Self.unsupported("a \(term.kind) cannot be compared with a \(type(of: value))")
      }
      guard let row = row(identifier, in: object.binding) else { return Scalar(known: false) }
      return equal(object.key, bound(.integer(row), Int64.self))
    case .json, .structure, .rows, .range, .constant:
      throw Self.unsupported(
        "a \(term.kind) (\(type(of: value))) cannot be compared as a whole: compare its properties or its elements")
    }
  }

  private func equal(_ scalar: Scalar, captured value: Any) throws -> Scalar {
    guard let found = try column(value, for: scalar) else { return Scalar(known: false) }
    if case .null = found { return try isNil(.scalar(scalar)) }
    let scalar = scalar.counted(beside: value)
    guard case .text(let text) = found else { return equal(scalar, bound(found, scalar.type)) }
    let spellings = ConstantValue.spellings(text).map { bind(.text($0)) }
    guard spellings.count > 1 else { return equal(scalar, Scalar(spellings[0], scalar.type)) }
    return isIn(scalar, "(\(spellings.joined(separator: ", ")))")
  }

  /// The column of a captured value, to be compared with `scalar`; nil for one that equals no column.
  func column(_ value: Any, for scalar: Scalar) throws -> Value? {
    if let reason = scalar.refusal { throw Self.unsupported(reason) }
    guard let unwrapped = ConstantValue.unwrapped(value) else { return .null }
    let found = try scalar.value.map { try $0(unwrapped) } ?? ConstantValue.column(unwrapped)
    // SQLite reads what is not a number as NULL.
    if case .real(let number) = found, number.isNaN { return nil }
    return found
  }

  private func equal(_ left: Scalar, _ right: Scalar) -> Scalar {
    let (a, b) = (left.sql, right.sql)
    guard left.isNullable || right.isNullable else {
      var equality = Scalar("(\(a) = \(b))", reads: left.reads.union(right.reads), negated: "(\(a) <> \(b))")
      equality.required = left.rows.union(right.rows)
      return equality
    }
    // Where one of them cannot be NULL, `=` finds the same rows, and more quickly.
    let filter = left.isNullable && right.isNullable ? nil : "(\(a) = \(b))"
    var equality = Scalar("(\(a) IS \(b))", filter: filter, negated: "(\(a) IS NOT \(b))")
    if filter != nil { equality.required = left.rows.union(right.rows) }
    return equality
  }

  /// Whether `scalar` is in a list or subquery without NULLs.
  func isIn(_ scalar: Scalar, _ list: String) -> Scalar {
    let sql = scalar.sql
    var membership =
      scalar.isNullable
      ? Scalar(
        "(\(sql) IS NOT NULL AND \(sql) IN \(list))", filter: "(\(sql) IN \(list))",
        negated: "(\(sql) IS NULL OR \(sql) NOT IN \(list))")
      : Scalar("(\(sql) IN \(list))", reads: scalar.reads, negated: "(\(sql) NOT IN \(list))")
    membership.required = scalar.rows
    return membership
  }

  func isNil(_ term: Term) throws -> Scalar {
    guard let presence = presence(of: term) else { return Scalar(known: false) }
    return presence.opposite
  }

  /// Whether the term is anything but nil; nil where it always is.
  func presence(of term: Term) -> Scalar? {
    func isThere(_ sql: String) -> Scalar {
      Scalar("(\(sql) IS NOT NULL)", negated: "(\(sql) IS NULL)")
    }
    switch term {
    case .constant(let value): return ConstantValue.unwrapped(value) == nil ? Scalar(known: false) : nil
    case .scalar(let scalar), .json(let scalar): return scalar.isNullable ? isThere(scalar.sql) : nil
    case .object(let object), .identifier(let object):
      guard object.isNullable else { return nil }
      return object.mayBeGone ? exists(object) : isThere(object.key.sql)
    case .structure(let structure):
      guard structure.isNullable else { return nil }
      return Scalar("(" + structure.columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ") + ")")
    case .rows(let rows): return rows.presence.map { Scalar($0) }
    case .record, .range: return nil
    }
  }

  /// Whether the row of the object's key exists.
  private func exists(_ object: ObjectTerm) -> Scalar {
    touch(object.binding.type)
    let row = TableAlias(object.binding.entity, as: alias())
    let query = "EXISTS (SELECT 1 FROM \(row.table) WHERE \(row.key) = \(object.key.sql))"
    return Scalar(query, negated: "NOT \(query)")
  }

  /// The identifier of a captured object, or the captured identifier.
  static func identifier(_ value: Any) -> PersistentIdentifier? {
    guard let value = ConstantValue.unwrapped(value) else { return nil }
    if let identifier = value as? PersistentIdentifier { return identifier }
    return (value as? any PersistentModel)?.persistentModelID
  }
}

// MARK: Lists

extension PredicateCompilation {
  /// The maximum number of values that are bound one by one; a longer list is bound as one JSON text.
  private static let longestList = 500
  /// Kept below SQLite's own limit of 32,766 parameters.
  private static let mostParameters = 30_000

  /// Whether `term` is one of the captured values.
  func isOne(_ term: Term, of values: [Any]) throws -> Scalar {
    var columns: [Value] = []
    var hasNil = false
    for value in values {
      guard ConstantValue.unwrapped(value) != nil else {
        hasNil = true
        continue
      }
      columns += try self.columns(value, for: term)
    }
    let operand: Scalar =
      switch term {
      case .object(let object), .identifier(let object): object.key
      default: try scalar(term)
      }
    let isAmong = columns.isEmpty ? Scalar(known: false) : isIn(operand, try list(columns))
    guard hasNil, operand.isNullable else { return isAmong }
    return either(isAmong, try isNil(term))
  }

  private func columns(_ value: Any, for term: Term) throws -> [Value] {
    switch term {
    case .object(let object), .identifier(let object):
      return Self.identifier(value).flatMap { row($0, in: object.binding) }.map { [.integer($0)] } ?? []
    default:
      guard let found = try column(value, for: scalar(term)) else { return [] }
      guard case .text(let text) = found else { return [found] }
      return ConstantValue.spellings(text).map(Value.text)
    }
  }

  private func list(_ columns: [Value]) throws -> String {
    if columns.count > Self.longestList, let json = JSONArray.text(columns) {
      return "(SELECT value FROM json_each(\(bind(.text(json)))))"
    }
    guard columns.count <= Self.mostParameters else {
      throw Self.unsupported(
        "a list of \(columns.count) values that are neither text nor integers is too long: fetch in parts of at most "
          + "\(Self.mostParameters)")
    }
    return "(" + columns.map(bind).joined(separator: ", ") + ")"
  }

  // MARK: Conditions

  func both(_ left: Scalar, _ right: Scalar) -> Scalar {
    if left.known == false || right.known == false { return Scalar(known: false) }
    if left.known == true { return right }
    if right.known == true { return left }
    var both = Scalar("(\(left.sql) AND \(right.sql))", filter: "(\(left.filter) AND \(right.filter))")
    both.required = left.required.union(right.required)
    return both
  }

  func either(_ left: Scalar, _ right: Scalar) -> Scalar {
    if left.known == true || right.known == true { return Scalar(known: true) }
    if left.known == false { return right }
    if right.known == false { return left }
    var either = Scalar("(\(left.sql) OR \(right.sql))", filter: "(\(left.filter) OR \(right.filter))")
    either.required = left.required.intersection(right.required)
    return either
  }
}
