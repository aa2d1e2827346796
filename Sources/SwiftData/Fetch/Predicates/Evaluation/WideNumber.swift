// SPDX-License-Identifier: MIT

/// The value of an expression of integers that its type does not hold. The expressions around it calculate and compare
/// with the number, or pass it on.
struct WideNumber: Error { let number: SQLNumber }

/// The value of an operand, or the number in its place.
enum CheckedOperand<Value> {
  case value(Value)
  case wide(SQLNumber)

  /// nil for nil and for what is not a number.
  var number: SQLNumber? {
    switch self {
    case .value(let value): SQLNumber(value)
    case .wide(let number): number
    }
  }
}

extension PredicateBindings {
  /// - Throws: `NoValue`.
  func operand<Expression: PredicateExpression>(
    of expression: Expression
  ) throws -> CheckedOperand<Expression.Output> {
    do { return .value(try value(of: expression)) } catch let wide as WideNumber { return .wide(wide.number) }
  }
}

enum NumberOperation { case add, subtract, multiply, divide, remainder }

/// A number as SQLite calculates with it: an integer of 64 bits, and a floating-point number where that is too small.
enum SQLNumber {
  case integer(Int64)
  case real(Double)

  init?(_ value: Any) {
    switch ConstantValue.unwrapped(value) {
    case let number as any BinaryInteger: self = Int64(exactly: number).map(Self.integer) ?? .real(Double(number))
    case let number as Double: self = .real(number)
    default: return nil
    }
  }

  private var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    }
  }

  /// The nearest integer towards zero.
  private var integer: Int64 {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
  }

  /// - Throws: `NoValue` for a division by zero, and for what is not a number.
  static func calculate(_ left: SQLNumber, _ operation: NumberOperation, _ right: SQLNumber) throws -> SQLNumber {
    if case .integer(let a) = left, case .integer(let b) = right, let result = a.exactly(operation, b) {
      return .integer(result)
    }
    let (a, b) = (left.double, right.double)
    switch operation {
    case .add: return try number(a + b)
    case .subtract: return try number(a - b)
    case .multiply: return try number(a * b)
    case .divide: return try number(b == 0 ? .nan : a / b)
    case .remainder:
      guard right.integer != 0 else { throw NoValue() }
      return .real(Double(left.integer.remainderReportingOverflow(dividingBy: right.integer).partialValue))
    }
  }

  private static func number(_ result: Double) throws -> SQLNumber {
    if result.isNaN { throw NoValue() }
    return .real(result)
  }
}

extension SQLNumber: Comparable {
  static func == (left: SQLNumber, right: SQLNumber) -> Bool { !(left < right) && !(right < left) }

  static func < (left: SQLNumber, right: SQLNumber) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    // As a floating-point number, a large integer would equal its neighbours.
    case (.integer(let a), .real(let b)): Self.order(a, b) < 0
    case (.real(let a), .integer(let b)): Self.order(b, a) > 0
    }
  }

  /// Negative where the integer is less, positive where it is greater.
  private static func order(_ integer: Int64, _ real: Double) -> Int {
    guard let whole = Int64(exactly: real.rounded(.towardZero)) else { return real < 0 ? 1 : -1 }
    if integer != whole { return integer < whole ? -1 : 1 }
    return Double(whole) < real ? -1 : Double(whole) > real ? 1 : 0
  }
}

extension FixedWidthInteger {
  /// nil where the type does not hold the result, and for a division by zero.
  func exactly(_ operation: NumberOperation, _ other: Self) -> Self? {
    let (result, overflows) =
      switch operation {
      case .add: addingReportingOverflow(other)
      case .subtract: subtractingReportingOverflow(other)
      case .multiply: multipliedReportingOverflow(by: other)
      case .divide: dividedReportingOverflow(by: other)
      case .remainder: remainderReportingOverflow(dividingBy: other)
      }
    return overflows ? nil : result
  }
}
