package import SearchIndex

extension Query {
  /// Documents whose number is from `low` up to, with `isHalfOpen` not including, `high`; nil is an open end.
  package static func numbers(slot: UInt32, _ low: Double?, _ high: Double?, isHalfOpen: Bool = false) -> Query {
    .range(
      slot: slot,
      NumberRange(
        from: low.map { .init(SortableNumber($0)) },
        to: high.map { .init(SortableNumber($0), isInclusive: !isHalfOpen) }))
  }
}
