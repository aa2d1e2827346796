// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
internal import SearchIndex

/// A period as typed in a query, in the user's zone: a decade such as `1990s`, a year, a month, a day or a time. It may be
/// relative, such as `today` or `last-month`, or a duration up to now, such as `2d` or `3mo`.
package struct DatePeriod: Equatable {
  /// The first moment of it.
  package let lower: DateBound
  /// The first moment after it.
  package let upper: DateBound
  /// Whether it is a duration up to now. As the bound of a range, it means its start.
  package var isSince = false

  /// This moment, in seconds since 2001.
  static var now: Double { Date().timeIntervalSinceReferenceDate }

  /// Maximum number of year and month terms that are used instead of comparing values.
  private static let mostTerms = 120

  /// In seconds since 2001.
  package var start: Double { lower.instant }
  /// The first moment after it, in seconds since 2001.
  package var end: Double { upper.instant }

  init(from lower: DateBound, to upper: DateBound, isSince: Bool = false) {
    self.lower = lower
    self.upper = upper
    self.isSince = isSince
  }

  private init(from first: CalendarDay, to next: CalendarDay, in zone: LocalZone) {
    self.init(
      from: DateBound(clockTime: first.secondsSince2001, in: zone),
      to: DateBound(clockTime: next.secondsSince2001, in: zone))
  }

  /// - Parameter isOfHistory: Whether it is about saves. `1800s` is then half an hour, and not a decade.
  package init?(_ text: String, now: Double, isOfHistory: Bool = false, in zone: LocalZone = .user) {
    let words = text.lowercased().split(separator: " ").joined(separator: "-")
    let relative = DatePeriod(relative: words, to: now, in: zone)
    let absolute = DatePeriod(text, in: zone)
    guard let period = isOfHistory ? relative ?? absolute : absolute ?? relative else { return nil }
    self = period
  }

  /// The first moment of a range with this period as its lower bound.
  package func lowest(isInclusive: Bool) -> DateBound { isInclusive || isSince ? lower : upper }
  /// The first moment after a range with this period as its upper bound.
  package func highest(isInclusive: Bool) -> DateBound { isInclusive && !isSince ? upper : lower }

  package init?(_ text: String, in zone: LocalZone = .user) {
    func start(_ year: Int, _ month: Int = 1) -> CalendarDay { CalendarDay(year: year, month: month, day: 1) }
    let text = Self.standard(text)
    if let decade = Self.decade(text) {
      self.init(from: start(decade), to: start(decade + 10), in: zone)
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
    guard let first = parts.first, let year = numbers[0], first.utf8.count == 4, year > 0 else { return nil }
    switch (parts.count, numbers.count > 1 ? numbers[1] : nil) {
    case (1, _):
      self.init(from: start(year), to: start(year + 1), in: zone)
    case (2, let month?) where (1...12).contains(month) && parts[1].utf8.count == 2:
      self.init(from: start(year, month), to: start(year, month + 1), in: zone)
    default:
      guard let (clockTime, offset) = DateText.components(text) else { return nil }
      let lower =
        offset.map { DateBound(instant: clockTime - $0, plain: clockTime - $0) }
        ?? DateBound(clockTime: clockTime, in: zone)
      let isDay = text.utf8.count == 10
      self.init(from: lower, to: isDay ? DateBound(clockTime: clockTime + 86_400, in: zone) : lower.nextUp)
    }
  }

  /// `17.05.2023` and `20230517` as `2023-05-17`; other text as it is.
  private static func standard(_ text: String) -> String {
    func isNumber(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    if text.utf8.count == 8, isNumber(text[...]) {
      return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy(isNumber), parts[2].count == 4,
      parts.dropLast().allSatisfy({ (1...2).contains($0.count) })
    else { return text }
    let (day, month) = (
      parts[0].count == 1 ? "0" + parts[0] : parts[0], parts[1].count == 1 ? "0" + parts[1] : parts[1]
    )
    return "\(parts[2])-\(month)-\(day)"
  }

  /// The first year of a decade such as `1990s`; nil for other text, such as `3600s`, which is a duration.
  static func decade(_ text: String) -> Int? {
    guard text.utf8.count == 5, text.hasSuffix("0s"), let year = Int(text.dropLast()), (1_000..<3_000).contains(year)
    else { return nil }
    return year
  }

  func query(fieldPrefix: String, slot: UInt32) -> Query {
    Self.query(from: lower, to: upper, fieldPrefix: fieldPrefix, slot: slot)
  }

  /// Dates from `start` up to, not including, `end`; nil is an open end.
  static func query(from start: DateBound?, to end: DateBound?, fieldPrefix: String, slot: UInt32) -> Query {
    if start?.isUniform ?? true, end?.isUniform ?? true {
      return query(from: start?.instant, to: end?.instant, fieldPrefix: fieldPrefix, slot: slot)
    }
    let ranges = DateBound.ranges(from: start, to: end).map { Query.range(slot: slot, $0) }
    let query = ranges.isEmpty ? Query.nothing : ranges.count == 1 ? ranges[0] : .or(ranges)
    // The months that the period touches are few documents, so that few values are compared.
    guard let start, let end, let first = month(min(start.instant, start.plain)),
      let last = month(max(end.instant, end.plain))
    else { return query }
    let terms = cover(first, last.1 == 12 ? (last.0 + 1, 1) : (last.0, last.1 + 1), fieldPrefix)
    return terms.count > mostTerms ? query : .filter(.or(terms), by: query)
  }

  /// Dates from `start` up to, not including, `end`; nil is an open end. Whole months become year and month terms,
  /// which are several times faster than comparing values.
  static func query(from start: Double?, to end: Double?, fieldPrefix: String, slot: UInt32) -> Query {
    if let start, let end {
      if start >= end { return .nothing }
      if let first = wholeMonth(start), let last = wholeMonth(end) {
        let terms = cover(first, last, fieldPrefix)
        if terms.count <= mostTerms { return .or(terms) }
      }
    }
    return .range(
      slot: slot,
      NumberRange(
        from: start.map { .init(SortableNumber($0)) }, to: end.map { .init(SortableNumber($0), isInclusive: false) }))
  }

  /// The terms of the months from `first` up to, not including, `last`; one more than `mostTerms` if there are too many.
  private static func cover(_ first: (Int, Int), _ last: (Int, Int), _ fieldPrefix: String) -> [Query] {
    var terms: [Query] = []
    var (year, month) = first
    while (year, month) < last, terms.count <= mostTerms {
      if month == 1, (year + 1, 1) <= last {
        terms.append(.term(DocumentLayout.yearTerm(fieldPrefix, year)))
        year += 1
      } else {
        terms.append(.term(DocumentLayout.monthTerm(fieldPrefix, year, month)))
        (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      }
    }
    return terms
  }

  private static func month(_ seconds: Double) -> (Int, Int)? {
    CalendarDay(secondsSince2001: seconds).map { ($0.year, $0.month) }
  }

  private static func wholeMonth(_ seconds: Double) -> (Int, Int)? {
    guard let day = CalendarDay(secondsSince2001: seconds), day.day == 1, day.secondsSince2001 == seconds else {
      return nil
    }
    return (day.year, day.month)
  }
}
