internal import PersistentStore
internal import SQLite

/// How one value is before another.
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
  func compare(_ left: Term, _ order: Order, _ right: Term, _ type: Any.Type) throws -> Scalar {
    guard let a = try operand(left, beside: right), let b = try operand(right, beside: left) else {
      return Scalar(known: false)
    }
    let way: OrderedSQL
    do {
      way = a.value == nil && b.value == nil ? try OrderedSQL(type) : .plain
    } catch let problem {
      throw Self.unsupported("\(problem.reason): compare a property of it that has")
    }
    let (one, two) = (way.operand(a.sql), way.operand(b.sql))
    let sql = "(\(one) \(order.rawValue) \(two)\(way.collation))"
    let negated = "(\(one) \(order.opposite.rawValue) \(two)\(way.collation))"
    return Scalar(sql, Bool.self, isNullable: false, reads: a.reads.union(b.reads), negated: negated)
  }

  /// nil for a captured value that compares with nothing.
  private func operand(_ term: Term, beside other: Term) throws -> Scalar? {
    guard case .constant(let value) = term, case .scalar(let scalar) = other else { return try scalar(term) }
    return try column(value, for: scalar).map { bound($0, scalar.type) }
  }
}

/// How SQL orders values of a Swift type.
struct OrderedSQL {
  /// A type whose order SQL cannot tell.
  struct Problem: Error { let reason: String }

  /// As the columns stand.
  static var plain: OrderedSQL { OrderedSQL() }

  /// What SQL compares in place of a column or value: one thing after another.
  private(set) var terms: (String) -> [String] = { [$0] }
  /// Empty, or ` COLLATE …`.
  private(set) var collation = ""

  private init() {}

  init(_ type: Any.Type) throws(Problem) {
    guard let shape = ConstantValue.Shape(type) else { throw Problem(reason: "the order of \(type) has no SQL") }
    if shape.isRaw {
      guard let rank = EnumerationCases(type)?.ranked() else {
        throw Problem(reason: "the order of \(type) has no SQL, as it is no enumeration without associated values")
      }
      terms = { [rank($0)] }
    } else if type is UInt.Type || type is UInt64.Type {
      // The column has their bits: the upper half is negative there, and comes last.
      terms = { ["(\($0) < 0)", $0] }
    } else if type is Decimal.Type {
      // Numbers of more than 15 digits are kept as text.
      terms = { ["CAST(\($0) AS TEXT)"] }
      collation = " COLLATE decimal"
    }
  }

  func operand(_ sql: String) -> String {
    let terms = terms(sql)
    return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: ", ")))"
  }
}
