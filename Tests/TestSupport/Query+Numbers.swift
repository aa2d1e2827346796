// SPDX-License-Identifier: MIT

package import SearchIndex

extension Query {
  /// Documents with a number from `low` to `high` (exclusive with `isHalfOpen`); nil if there is no bound.
  package static func numbers(slot: UInt32, _ low: Double?, _ high: Double?, isHalfOpen: Bool = false) -> Query {
    .range(
      slot: slot,
      NumberRange(
        from: low.map { .init(SortableNumber($0)) },
        to: high.map { .init(SortableNumber($0), isInclusive: !isHalfOpen) }))
  }
}
