internal import FoundationEssentials

/// Dates as ISO 8601 text.
package enum DateText {
  /// Seconds since 2001 of `YYYY-MM-DD` or of a date with a time; a time without a zone is UTC. nil for other text.
  package static func parse(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard bytes.count >= 10, bytes.count <= 40, bytes.allSatisfy({ $0 < 0x80 }), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10)
    else { return nil }
    let date = CalendarDay(year: year, month: month, day: day)
    guard year > 0, date.exists else { return nil }
    if bytes.count == 10 { return date.secondsSince2001 }
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ") else { return nil }
    return parseTime(String(decoding: bytes[0..<10], as: UTF8.self), bytes[11...])
  }

  private static func parseTime(_ day: String, _ bytes: ArraySlice<UInt8>) -> Double? {
    var time = String(decoding: bytes, as: UTF8.self)
    let hasZone = time.hasSuffix("Z") || time.utf8.dropFirst(3).contains { $0 == 0x2b || $0 == 0x2d }
    if !hasZone { time += "Z" }
    if time.utf8.count > 5, Array(time.utf8)[5] != 0x3a {  // 12:30Z has no seconds
      time.insert(contentsOf: ":00", at: time.index(time.startIndex, offsetBy: 5))
    }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))
    return try? style.parse(day + "T" + time).timeIntervalSinceReferenceDate
  }

  /// `YYYY-MM-DD` at midnight UTC, else with the time to the millisecond where there is a fraction.
  package static func format(secondsSince2001 seconds: Double) -> String {
    guard seconds.isFinite, let day = CalendarDay(secondsSince2001: seconds) else { return "\(seconds)" }
    if day.secondsSince2001 == seconds { return dayText(day) }
    return Date(timeIntervalSinceReferenceDate: seconds)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: seconds != seconds.rounded()))
  }

  /// With the time to the microsecond: of transactions.
  package static func formatTime(secondsSince1970 seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private static func dayText(_ day: CalendarDay) -> String {
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
  }
}
