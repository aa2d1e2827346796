// SPDX-License-Identifier: MIT

internal import SQLite

/// An expression of a predicate, as SQL.
indirect enum Term {
  /// A value that is the same for every row.
  case constant(Any)
  case scalar(Scalar)
  /// An object of a model class.
  case object(ObjectTerm)
  /// An object's `persistentModelID`.
  case identifier(ObjectTerm)
  /// The objects of a to-many relationship, or the elements of a collection.
  case rows(RowsTerm)
  /// A Codable structure in columns of its own.
  case structure(StructureTerm)
  /// A Codable value as JSON text in one column.
  case json(Scalar)
  /// A value of a type that is not a model, by its columns.
  case record(RecordTerm)
  case range(RangeTerm)

  var kind: String {
    switch self {
    case .constant: "captured value"
    case .scalar: "value"
    case .object: "model object"
    case .identifier: "persistent identifier"
    case .rows: "collection"
    case .structure: "structure"
    case .json: "Codable value"
    case .record: "value of this type"
    case .range: "range"
    }
  }

  /// The term as one that is not nil.
  ///
  /// - Parameter variable: The variable that stands for the unwrapped value.
  func unwrapped(as variable: PredicateExpressions.VariableID? = nil) -> Term {
    switch self {
    case .constant(let value): return .constant(ConstantValue.unwrapped(value) ?? value)
    case .scalar(var scalar):
      scalar.isNullable = false
      if let variable { scalar.reads.insert(variable) }
      return .scalar(scalar)
    case .json(var scalar):
      scalar.isNullable = false
      return .json(scalar)
    case .object(let object): return .object(object.unwrapped(as: variable))
    case .identifier(let object): return .identifier(object.unwrapped(as: variable))
    case .structure(var structure):
      structure.isNullable = false
      return .structure(structure)
    case .rows(var rows):
      rows.presence = nil
      return .rows(rows)
    case .record, .range: return self
    }
  }
}

/// One value in SQL. Text is complete in itself: it can be an operand of any operator.
struct Scalar {
  typealias Variables = Set<PredicateExpressions.VariableID>

  var sql: String
  /// Of conditions: text that is NULL where `sql` is 0 for some rows, and easier for SQLite to find rows by.
  var filter: String
  /// Of conditions: the opposite of `sql`, where there is a text that SQLite finds rows by.
  var negated: String?
  /// The Swift type, without its optional.
  var type: Any.Type
  var isNullable: Bool
  /// Variables that make it NULL when they are nil.
  var reads: Variables
  /// Of columns: the column of a captured value.
  var value: ((Any) throws -> Value?)?
  /// Why nothing but nil can be compared with it.
  var refusal: String?
  /// Of columns: whether other software coded its values, with names of its own.
  var isCoded = false
  /// Of columns: the names of the joined rows without which it is NULL.
  var rows: Set<String> = []
  /// Of conditions: the names of the joined rows without which `filter` does not hold, where it compares them for equality.
  var required: Set<String> = []
  /// Of counts: SQL that stops counting at a limit.
  var counted: ((_ limit: Int) -> String)?

  /// A value that is not nil, and a condition unless another type is given.
  init(
    _ sql: String, _ type: Any.Type = Bool.self, isNullable: Bool = false, reads: Variables = [],
    filter: String? = nil, negated: String? = nil
  ) {
    self.sql = sql
    self.type = type
    self.isNullable = isNullable
    self.reads = reads
    self.filter = filter ?? sql
    self.negated = negated
  }

  /// A condition that does not depend on the row.
  init(known: Bool) { self.init(known ? "1" : "0") }

  /// A condition for which `evaluate` throws an error.
  static var failure: Scalar { Scalar("NULL") }
  var isFailure: Bool { sql == "NULL" }

  /// Of conditions: the value, if it is the same for every row.
  var known: Bool? { sql == "1" ? true : sql == "0" ? false : nil }

  /// Of conditions.
  var opposite: Scalar {
    if let known { return Scalar(known: !known) }
    return Scalar(negated ?? "(NOT \(sql))", Bool.self, isNullable: isNullable, reads: reads, negated: sql)
  }
}

/// A Codable structure in columns of its own.
struct StructureTerm {
  let property: PropertyType
  /// By the element's index.
  let columns: [String]
  var isNullable: Bool
  /// Whether other software coded the values in its columns, with names of its own.
  var isCoded = false
}

/// A range between two terms.
struct RangeTerm {
  let lower: Term?
  let upper: Term?
  let includesUpper: Bool
}
