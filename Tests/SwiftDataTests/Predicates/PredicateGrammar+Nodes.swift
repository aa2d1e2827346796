// SPDX-License-Identifier: MIT

import SwiftData

/// Nodes over expressions of any kind.
extension PredicateGrammar {
  static func conjunction<Left, Right>(_ left: Left, _ right: Right) -> Condition
  where Left: StandardPredicateExpression<Bool>, Right: StandardPredicateExpression<Bool> {
    PE.build_Conjunction(lhs: left, rhs: right)
  }

  static func disjunction<Left, Right>(_ left: Left, _ right: Right) -> Condition
  where Left: StandardPredicateExpression<Bool>, Right: StandardPredicateExpression<Bool> {
    PE.build_Disjunction(lhs: left, rhs: right)
  }

  static func negation(_ wrapped: some StandardPredicateExpression<Bool>) -> Condition { PE.build_Negation(wrapped) }

  static func choice<Test, Left, Right>(
    _ test: Test, _ left: Left, _ right: Right
  ) -> any StandardPredicateExpression<Left.Output>
  where
    Test: StandardPredicateExpression<Bool>, Left: StandardPredicateExpression, Right: StandardPredicateExpression,
    Left.Output == Right.Output
  { PE.build_Conditional(test, left, right) }

  static func equal<Left, Right>(_ left: Left, _ right: Right, isEqual: Bool) -> Condition
  where
    Left: StandardPredicateExpression, Right: StandardPredicateExpression, Left.Output == Right.Output,
    Left.Output: Equatable
  { isEqual ? PE.build_Equal(lhs: left, rhs: right) : PE.build_NotEqual(lhs: left, rhs: right) }

  static func remainder<Left, Right>(_ left: Left, _ right: Right) -> Number
  where Left: StandardPredicateExpression<Int>, Right: StandardPredicateExpression<Int> {
    PE.build_Remainder(lhs: left, rhs: right)
  }

  static func arithmetic<Left, Right>(
    _ left: Left, _ sign: PE.ArithmeticOperator, _ right: Right
  ) -> Number where Left: StandardPredicateExpression<Int>, Right: StandardPredicateExpression<Int> {
    PE.build_Arithmetic(lhs: left, rhs: right, op: sign)
  }
}
