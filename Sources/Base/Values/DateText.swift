// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Parses and formats dates as ISO 8601 text.
package enum DateText {
  /// Parses `YYYY-MM-DD`, or a date with a time: `THH:MM`, `THH:MM:SS` or with a fraction of a second. `Z` or an offset
  /// such as `+02:00` may follow the time; without them it is in UTC.
  ///
  /// - Returns: Seconds since 2001; nil for other text.
  package static func parse(_ text: String) -> Double? { components(text).map { $0.seconds - ($0.offset ?? 0) } }

  /// Parses the same texts.
  ///
  /// - Returns: What the clock shows, as seconds since 2001, and its seconds east of UTC; nil for a text without them.
  package static func components(_ text: String) -> (seconds: Double, offset: Double?)? {
    var rest = Array(text.utf8)[...]
    guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2), take("-", &rest),
      let day = number(&rest, 2)
    else { return nil }
    let date = CalendarDay(year: year, month: month, day: day)
    guard year > 0, date.exists else { return nil }
    if rest.isEmpty { return (date.secondsSince2001, nil) }
    guard take("T", &rest) || take(" ", &rest), let time = time(&rest) else { return nil }
    let seconds = date.secondsSince2001 + time
    if rest.isEmpty { return (seconds, nil) }
    guard let offset = offset(&rest), rest.isEmpty else { return nil }
    return (seconds, offset)
  }

  /// Seconds since midnight.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Double? {
    guard let hour = number(&rest, 2), hour < 24, take(":", &rest), let minute = number(&rest, 2), minute < 60 else {
      return nil
    }
    var seconds = Double(hour * 3_600 + minute * 60)
    if take(":", &rest) {
      guard let second = number(&rest, 2), second < 60 else { return nil }
      seconds += Double(second)
      if take(".", &rest) {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count), let fraction = Double("0." + String(decoding: digits, as: UTF8.self))
        else { return nil }
        rest = rest.dropFirst(digits.count)
        seconds += fraction
      }
    }
    return seconds
  }

  /// Seconds east of UTC.
  private static func offset(_ rest: inout ArraySlice<UInt8>) -> Double? {
    if take("Z", &rest) { return 0 }
    let isWest = take("-", &rest)
    guard isWest || take("+", &rest), let hours = number(&rest, 2), hours < 24 else { return nil }
    _ = take(":", &rest)
    guard let minutes = number(&rest, 2), minutes < 60 else { return nil }
    return Double(hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
    let taken = rest.prefix(digits)
    guard taken.count == digits, taken.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    return taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func take(_ scalar: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: scalar) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Formats midnight UTC as `YYYY-MM-DD`, and other dates with the time. A fraction of a second is shown to the
  /// millisecond.
  package static func format(secondsSince2001 seconds: Double) -> String {
    guard seconds.isFinite, let day = CalendarDay(secondsSince2001: seconds) else { return "\(seconds)" }
    if day.secondsSince2001 == seconds { return dayText(day) }
    return timeText(seconds, hasMilliseconds: seconds != seconds.rounded())
  }

  /// The current time, to the millisecond.
  package static var now: String { formatTime(secondsSince1970: Date().timeIntervalSince1970) }

  /// Formats the time of a transaction, to the millisecond.
  package static func formatTime(secondsSince1970 seconds: Double) -> String {
    timeText(seconds - Date.timeIntervalBetween1970AndReferenceDate, hasMilliseconds: true)
  }

  /// The nearest millisecond in the Gregorian calendar, which reading a date assumes for all years.
  private static func timeText(_ seconds: Double, hasMilliseconds: Bool) -> String {
    let milliseconds = (seconds * 1_000).rounded()
    let whole = (milliseconds / 1_000).rounded(.down)
    guard let day = CalendarDay(secondsSince2001: whole) else { return "\(seconds)" }
    let second = Int(whole - day.secondsSince2001)
    let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    let fraction = hasMilliseconds ? "." + padded(Int(milliseconds - whole * 1_000), 3) : ""
    return "\(dayText(day))T\(time)\(fraction)Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func dayText(_ day: CalendarDay) -> String {
    "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
  }
}
