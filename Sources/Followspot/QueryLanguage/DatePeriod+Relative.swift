// SPDX-License-Identifier: MIT

package import Base

extension DatePeriod {
  private static let day = 86_400.0
  /// Units of time that do not depend on the calendar, in seconds.
  static let lengths: [String: Double] = [
    "s": 1, "m": 60, "min": 60, "h": 3_600, "d": day, "w": 7 * day,
  ]

  /// A period relative to the present: `today`, `yesterday`, `tomorrow`, `this-week`, `last-month`, `next-year`,
  /// `now`, or a duration up to now: `30min`, `12h`, `2d`, `3w`, `6mo`, `1y`. Weeks begin on Monday.
  package init?(relative text: String, to now: Double, in zone: LocalZone = .user) {
    let present = DateBound(instant: now, plain: zone.clockTime(at: now))
    guard let today = CalendarDay(secondsSince2001: present.plain) else { return nil }
    if text == "now" {
      self.init(from: present, to: present.nextUp)
    } else if let (start, end) = Self.span(text, today) {
      self.init(from: DateBound(clockTime: start, in: zone), to: DateBound(clockTime: end, in: zone))
    } else if let start = Self.since(text, today, present, zone) {
      self.init(from: start, to: present.nextUp, isSince: true)
    } else {
      return nil
    }
  }

  /// The period of a name such as `today` or `last-month`, by the clock of the user.
  private static func span(_ text: String, _ today: CalendarDay) -> (start: Double, end: Double)? {
    let midnight = today.secondsSince2001
    if let days = ["yesterday": -1.0, "today": 0, "tomorrow": 1][text] {
      return (midnight + days * day, midnight + (days + 1) * day)
    }
    let parts = text.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let step = ["last": -1, "this": 0, "next": 1][parts[0]] else { return nil }
    func month(_ months: Int) -> Double {
      CalendarDay(year: today.year, month: today.month + months, day: 1).secondsSince2001
    }
    func year(_ years: Int) -> Double { CalendarDay(year: today.year + years, month: 1, day: 1).secondsSince2001 }
    switch parts[1] {
    case "week":
      // 2001 began on a Monday.
      let monday = (midnight / (7 * day)).rounded(.down) * 7 * day + Double(step) * 7 * day
      return (monday, monday + 7 * day)
    case "month": return (month(step), month(step + 1))
    case "year": return (year(step), year(step + 1))
    default: return nil
    }
  }

  /// The start of a duration up to now, such as `2d`.
  private static func since(
    _ text: String, _ today: CalendarDay, _ now: DateBound, _ zone: LocalZone
  ) -> DateBound? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = String(text.dropFirst(digits.count))
    guard digits.utf8.count <= 5, let count = Int(digits) else { return nil }
    if let length = lengths[unit] {
      let seconds = Double(count) * length
      return DateBound(instant: now.instant - seconds, plain: now.plain - seconds)
    }
    guard unit == "mo" || unit == "y" else { return nil }
    let months = unit == "y" ? count * 12 : count
    guard months <= 12 * 1_000 else { return nil }
    let time = now.plain - today.secondsSince2001
    let day = CalendarDay(year: today.year, month: today.month - months, day: today.day)
    return DateBound(clockTime: day.secondsSince2001 + time, in: zone)
  }
}
