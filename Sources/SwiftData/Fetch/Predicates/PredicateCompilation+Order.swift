// SPDX-License-Identifier: MIT

/// A comparison of two values in SQL.
enum Order: String {
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  var opposite: Order {
    switch self {
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

extension PredicateCompilation {
  /// Compares two values of `type`, neither of which is nil.
  func compare(_ left: Term, _ comparison: Order, _ right: Term, _ type: Any.Type) throws -> Scalar {
    guard let a = try operand(left, beside: right), let b = try operand(right, beside: left) else {
      return Scalar(known: false)
    }
    let order: OrderedSQL
    do {
      order = a.value == nil && b.value == nil ? try OrderedSQL(type) : .plain
    } catch let problem {
      throw Self.unsupported("\(problem.reason): compare a property of it that has")
    }
    let (sql, negated) = (order.compared(a.sql, comparison, b.sql), order.compared(a.sql, comparison.opposite, b.sql))
    return Scalar(sql, reads: a.reads.union(b.reads), negated: negated)
  }

  /// nil for a captured value that compares with nothing.
  private func operand(_ term: Term, beside other: Term) throws -> Scalar? {
    guard case .constant(let value) = term, case .scalar(let scalar) = other else {
      guard case .constant(let limit) = other else { return try scalar(term) }
      return try scalar(term).counted(beside: limit)
    }
    return try column(value, for: scalar).map { bound($0, scalar.type) }
  }
}

/// How SQL orders values of a Swift type.
struct OrderedSQL {
  /// A type whose order has no SQL.
  struct Problem: Error { let reason: String }

  /// By the stored values.
  static var plain: OrderedSQL { OrderedSQL() }

  /// The terms that SQL compares instead of a column or value, the first one first.
  private var terms: (String) -> [String] = { [$0] }
  private var isDecimal = false

  private init() {}

  init(_ type: Any.Type) throws(Problem) {
    guard let shape = ConstantValue.Shape(type) else { throw Problem(reason: "the order of \(type) has no SQL") }
    if shape.isRaw {
      guard let rank = EnumerationCases(type)?.ranked() else {
        throw Problem(
          reason: "the order of \(type) has no SQL, because it is not an enumeration without associated values")
      }
      terms = { [rank($0)] }
    } else if type is UInt.Type || type is UInt64.Type {
      // The column has their bits: the upper half is negative there, and comes last.
      terms = { ["(\($0) < 0)", $0] }
    } else if type is Decimal.Type {
      // Numbers of more than 15 digits are kept as text.
      isDecimal = true
    }
  }

  /// Terms of ORDER BY.
  func ordered(_ column: String) -> [String] {
    isDecimal ? ["CAST(\(column) AS TEXT) COLLATE decimal"] : terms(column)
  }

  /// Decimals are compared by a function, because SQLite would apply COLLATE to the surrounding comparison too.
  func compared(_ left: String, _ order: Order, _ right: String) -> String {
    guard !isDecimal else {
      return switch order {
      case .less: "decimal_before(\(left), \(right))"
      case .greater: "decimal_before(\(right), \(left))"
      case .lessOrEqual: "(NOT decimal_before(\(right), \(left)))"
      case .greaterOrEqual: "(NOT decimal_before(\(left), \(right)))"
      }
    }
    func operand(_ sql: String) -> String {
      let terms = terms(sql)
      return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: ", ")))"
    }
    return "(\(operand(left)) \(order.rawValue) \(operand(right)))"
  }
}
