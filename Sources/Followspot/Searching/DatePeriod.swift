internal import FoundationEssentials
internal import SearchIndex

/// A period as typed in a query, in UTC: a decade such as `1990s`, a year, a month, a day or a time. It may be relative,
/// such as `today` or `last-month`, or a duration up to now, such as `2d` or `3mo`.
struct DatePeriod: Equatable {
  /// Seconds since 2001.
  let start: Double
  /// The first moment after it.
  let end: Double
  /// Whether it is a duration up to now. As the bound of a range, it means its start.
  var isSince = false

  /// This moment, in seconds since 2001.
  static var now: Double { Date().timeIntervalSinceReferenceDate }

  /// Maximum number of year and month terms that are used instead of comparing values.
  private static let mostTerms = 120

  init(from start: Double, to end: Double, isSince: Bool = false) {
    self.start = start
    self.end = end
    self.isSince = isSince
  }

  /// - Parameter isOfHistory: Whether it is about saves. `1800s` is then half an hour, and not a decade.
  init?(_ text: String, now: Double, isOfHistory: Bool = false) {
    let words = text.lowercased().split(separator: " ").joined(separator: "-")
    let relative = DatePeriod(relative: words, to: now)
    guard let period = isOfHistory ? relative ?? DatePeriod(text) : DatePeriod(text) ?? relative else { return nil }
    self = period
  }

  /// The first moment of a range with this period as its lower bound.
  func lowest(isInclusive: Bool) -> Double { isInclusive || isSince ? start : end }
  /// The first moment after a range with this period as its upper bound.
  func highest(isInclusive: Bool) -> Double { isInclusive && !isSince ? end : start }

  init?(_ text: String) {
    let text = Self.standard(text)
    if let decade = Self.decade(text) {
      start = CalendarDay(year: decade, month: 1, day: 1).secondsSince2001
      end = CalendarDay(year: decade + 10, month: 1, day: 1).secondsSince2001
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
    guard let first = parts.first, let year = numbers[0], first.utf8.count == 4, year > 0 else { return nil }
    switch (parts.count, numbers.count > 1 ? numbers[1] : nil) {
    case (1, _):
      start = CalendarDay(year: year, month: 1, day: 1).secondsSince2001
      end = CalendarDay(year: year + 1, month: 1, day: 1).secondsSince2001
    case (2, let month?) where (1...12).contains(month) && parts[1].utf8.count == 2:
      start = CalendarDay(year: year, month: month, day: 1).secondsSince2001
      end = CalendarDay(year: year, month: month + 1, day: 1).secondsSince2001
    default:
      guard let moment = DateText.parse(text) else { return nil }
      start = moment
      end = text.utf8.count == 10 ? moment + 86_400 : moment.nextUp
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
    Self.query(from: start, to: end, fieldPrefix: fieldPrefix, slot: slot)
  }

  /// Dates from `start` up to, not including, `end`; nil is an open end. Whole months become year and month terms,
  /// which are several times faster than comparing values.
  static func query(from start: Double?, to end: Double?, fieldPrefix: String, slot: UInt32) -> Query {
    if let start, let end {
      if start >= end { return .nothing }
      if let terms = cover(start, end, fieldPrefix), terms.count <= mostTerms { return .or(terms) }
    }
    return .range(
      slot: slot,
      NumberRange(
        from: start.map { .init(SortableNumber($0)) }, to: end.map { .init(SortableNumber($0), isInclusive: false) }))
  }

  private static func cover(_ start: Double, _ end: Double, _ fieldPrefix: String) -> [Query]? {
    guard let first = wholeMonth(start), let last = wholeMonth(end) else { return nil }
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

  private static func wholeMonth(_ seconds: Double) -> (Int, Int)? {
    guard let day = CalendarDay(secondsSince2001: seconds), day.day == 1, day.secondsSince2001 == seconds else {
      return nil
    }
    return (day.year, day.month)
  }
}
