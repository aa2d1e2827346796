// SPDX-License-Identifier: MIT

extension PredicateExpressions.Range: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .range(RangeTerm(lower: try compilation.term(lower), upper: try compilation.term(upper), includesUpper: false))
  }
}

extension PredicateExpressions.ClosedRange: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    .range(RangeTerm(lower: try compilation.term(lower), upper: try compilation.term(upper), includesUpper: true))
  }
}

extension PredicateExpressions.RangeExpressionContains: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let bounds: RangeTerm
    switch try compilation.term(range) {
    case .range(let range): bounds = range
    case .constant(let value):
      guard let range = (value as? any BoundedRange)?.bounds else {
        throw PredicateCompilation.unsupported("\(type(of: value)) has no SQL: use a..<b, a...b, a..., ..<b or ...b")
      }
      bounds = range
    case let term: throw PredicateCompilation.unsupported("a \(term.kind) is not a range in SQL")
    }
    let element = try compilation.term(element)
    let type = RangeExpression.Output.Bound.self
    var conditions: [Scalar] = []
    if let lower = bounds.lower { conditions.append(try compilation.compare(element, .greaterOrEqual, lower, type)) }
    if let upper = bounds.upper {
      conditions.append(try compilation.compare(element, bounds.includesUpper ? .lessOrEqual : .less, upper, type))
    }
    return .scalar(conditions.reduce(Scalar(known: true), compilation.both))
  }
}

/// The ranges of the standard library.
protocol BoundedRange { var bounds: RangeTerm { get } }

extension Range: BoundedRange {
  var bounds: RangeTerm {
    RangeTerm(lower: .constant(lowerBound), upper: .constant(upperBound), includesUpper: false)
  }
}

extension ClosedRange: BoundedRange {
  var bounds: RangeTerm {
    RangeTerm(lower: .constant(lowerBound), upper: .constant(upperBound), includesUpper: true)
  }
}

extension PartialRangeFrom: BoundedRange {
  var bounds: RangeTerm { RangeTerm(lower: .constant(lowerBound), upper: nil, includesUpper: false) }
}

extension PartialRangeUpTo: BoundedRange {
  var bounds: RangeTerm { RangeTerm(lower: nil, upper: .constant(upperBound), includesUpper: false) }
}

extension PartialRangeThrough: BoundedRange {
  var bounds: RangeTerm { RangeTerm(lower: nil, upper: .constant(upperBound), includesUpper: true) }
}
