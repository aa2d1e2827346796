// SPDX-License-Identifier: MIT

// A Foundation that has these initializers is preferred to this module.

extension Predicate {
  /// Holds where each of the predicates holds; without predicates, always.
  @_disfavoredOverload
  public init(all subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init(Array(subpredicates), areAllNeeded: true)
  }

  /// Holds where one of the predicates holds; without predicates, never.
  @_disfavoredOverload
  public init(any subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
    self.init(Array(subpredicates), areAllNeeded: false)
  }

  private init(_ predicates: [Predicate<repeat each Input>], areAllNeeded: Bool) {
    self.init { (input: repeat PredicateExpressions.Variable<each Input>) in
      SeveralPredicates<repeat each Input>(
        predicates: predicates, areAllNeeded: areAllNeeded, input: (repeat each input))
    }
  }
}

/// Several predicates of the same input as one expression.
struct SeveralPredicates<each Input>: StandardPredicateExpression {
  let predicates: [Predicate<repeat each Input>]
  /// Whether each of them has to hold, and not only one.
  let areAllNeeded: Bool
  let input: (repeat PredicateExpressions.Variable<each Input>)

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let values = (repeat try bindings.value(of: each input))
    var missing: NoValue?
    for predicate in predicates {
      let bindings = PredicateBindings(repeat (each predicate.variable, each values))
      do { if try bindings.value(of: predicate.expression) != areAllNeeded { return !areAllNeeded } } catch let problem
        as NoValue
      {
        missing = problem
      }
    }
    if let missing { throw missing }
    return areAllNeeded
  }
}

extension SeveralPredicates {
  init(from decoder: any Decoder) throws { throw UncodedPredicate.notDecoded(decoder) }
  func encode(to encoder: any Encoder) throws { throw UncodedPredicate.notEncoded(encoder) }
}

extension SeveralPredicates: SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term {
    let conditions = try predicates.map { predicate in
      repeat try compilation.bind(each predicate.variable, to: compilation.term(each input))
      return try compilation.condition(predicate.expression)
    }
    return .scalar(joined(conditions[...], compilation))
  }

  /// By halves, because SQLite limits how deep an expression is nested.
  private func joined(_ conditions: ArraySlice<Scalar>, _ compilation: PredicateCompilation) -> Scalar {
    guard conditions.count > 1 else { return conditions.first ?? Scalar(known: areAllNeeded) }
    let middle = conditions.startIndex + conditions.count / 2
    let (left, right) = (joined(conditions[..<middle], compilation), joined(conditions[middle...], compilation))
    return areAllNeeded ? compilation.both(left, right) : compilation.either(left, right)
  }
}

/// Foundation's predicates have no coded form on Linux, so one that holds others has none either.
enum UncodedPredicate {
  private static var reason: String { "a predicate within a predicate has no coded form" }

  static func notDecoded(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
  }

  static func notEncoded(_ encoder: any Encoder) -> EncodingError {
    .invalidValue("predicate", .init(codingPath: encoder.codingPath, debugDescription: reason))
  }
}
