// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex

/// The boundary of a period: the start of a day, or another time, that a query names.
///
/// Dates without a time are stored as midnight UTC. They name the same day in every zone, so that a day of the user's zone
/// begins for them at its midnight UTC, and for other values at midnight in the user's zone.
package struct DateBound: Equatable {
  /// For values that carry an instant, in seconds since 2001.
  package let instant: Double
  /// For dates without a time, in seconds since 2001.
  let plain: Double

  /// The moment at which a clock in `zone` shows `clockTime`.
  init(clockTime: Double, in zone: LocalZone) {
    (instant, plain) = (zone.moment(of: clockTime), clockTime)
  }

  init(instant: Double, plain: Double) {
    (self.instant, self.plain) = (instant, plain)
  }

  /// The bound just above this one.
  var nextUp: DateBound { DateBound(instant: instant.nextUp, plain: plain.nextUp) }

  /// Whether all values have the same boundary.
  var isUniform: Bool { instant == plain }

  /// The midnights UTC from `start` up to, not including, `end`.
  private static func midnights(from start: Double, to end: Double) -> [Double] {
    Array(stride(from: (start / 86_400).rounded(.up) * 86_400, to: end, by: 86_400))
  }

  /// The values from `start` up to, not including, `end`, as ranges without overlap; nil is an open end.
  package static func ranges(from start: DateBound?, to end: DateBound?) -> [NumberRange] {
    var alone: [Double] = []
    var left: [Double] = []
    if let start {
      alone += midnights(from: start.plain, to: min(start.instant, end?.plain ?? .infinity))
      left += midnights(from: start.instant, to: min(start.plain, end?.instant ?? .infinity))
    }
    if let end {
      alone += midnights(from: max(end.instant, start.map { max($0.plain, $0.instant) } ?? -.infinity), to: end.plain)
      left += midnights(from: max(end.plain, start?.instant ?? -.infinity), to: end.instant)
    }
    var ranges = alone.map { NumberRange(only: SortableNumber($0)) }
    var lower = start.map { NumberRange.Bound(SortableNumber($0.instant)) }
    for midnight in left.sorted() {
      let number = SortableNumber(midnight)
      ranges.append(NumberRange(from: lower, to: .init(number, isInclusive: false)))
      lower = .init(number, isInclusive: false)
    }
    if start.map({ $0.instant < end?.instant ?? .infinity }) ?? true {
      ranges.append(NumberRange(from: lower, to: end.map { .init(SortableNumber($0.instant), isInclusive: false) }))
    }
    return ranges.filter { !$0.isReversed }
  }
}
