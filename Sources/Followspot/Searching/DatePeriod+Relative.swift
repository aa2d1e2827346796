extension DatePeriod {
  private static let day = 86_400.0
  /// Units of time that do not depend on the calendar, in seconds.
  static let lengths: [String: Double] = [
    "s": 1, "m": 60, "min": 60, "h": 3_600, "d": day, "w": 7 * day,
  ]

  /// A period relative to the present: `today`, `yesterday`, `tomorrow`, `this-week`, `last-month`, `next-year`,
  /// `now`, or a duration up to now: `30min`, `12h`, `2d`, `3w`, `6mo`, `1y`. Weeks begin on Monday.
  init?(relative text: String, to now: Double) {
    guard let today = CalendarDay(secondsSince2001: now) else { return nil }
    let midnight = today.secondsSince2001
    switch text {
    case "now": self.init(from: now, to: now.nextUp)
    case "today": self.init(from: midnight, to: midnight + Self.day)
    case "yesterday": self.init(from: midnight - Self.day, to: midnight)
    case "tomorrow": self.init(from: midnight + Self.day, to: midnight + 2 * Self.day)
    default:
      if let period = Self.calendar(text, today) ?? Self.since(text, today, now) { self = period } else { return nil }
    }
  }

  /// `this-week`, `last-month`, `next-year`.
  private static func calendar(_ text: String, _ today: CalendarDay) -> DatePeriod? {
    let parts = text.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let step = ["last": -1, "this": 0, "next": 1][parts[0]] else { return nil }
    func month(_ months: Int) -> Double {
      CalendarDay(year: today.year, month: today.month + months, day: 1).secondsSince2001
    }
    func year(_ years: Int) -> Double { CalendarDay(year: today.year + years, month: 1, day: 1).secondsSince2001 }
    switch parts[1] {
    case "week":
      // 2001 began on a Monday.
      let monday = (today.secondsSince2001 / (7 * day)).rounded(.down) * 7 * day + Double(step) * 7 * day
      return DatePeriod(from: monday, to: monday + 7 * day)
    case "month": return DatePeriod(from: month(step), to: month(step + 1))
    case "year": return DatePeriod(from: year(step), to: year(step + 1))
    default: return nil
    }
  }

  private static func since(_ text: String, _ today: CalendarDay, _ now: Double) -> DatePeriod? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = String(text.dropFirst(digits.count))
    guard digits.utf8.count <= 5, let count = Int(digits) else { return nil }
    let start: Double
    if let length = lengths[unit] {
      start = now - Double(count) * length
    } else if unit == "mo" || unit == "y" {
      let months = unit == "y" ? count * 12 : count
      guard months <= 12 * 1_000 else { return nil }
      let time = now - today.secondsSince2001
      start = CalendarDay(year: today.year, month: today.month - months, day: today.day).secondsSince2001 + time
    } else {
      return nil
    }
    return DatePeriod(from: start, to: now.nextUp, isSince: true)
  }
}
