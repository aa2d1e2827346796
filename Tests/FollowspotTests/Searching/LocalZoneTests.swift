// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Followspot
@testable import SearchIndex

/// Days of a time zone, against Foundation's calendar.
@Suite(.overlapping)
struct LocalZoneTests {
  /// West and east of Greenwich; with clocks that change at midnight (Sao_Paulo, Beirut), with offsets that are not whole
  /// hours, and with a day that does not exist (Apia, 2011-12-30).
  private static let names = [
    "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Pacific/Pago_Pago", "Europe/Berlin", "Asia/Beirut",
    "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati", "UTC",
  ]

  private static func zone(_ timeZone: TimeZone) -> LocalZone {
    LocalZone { Double(timeZone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: $0))) }
  }

  /// Whether one of the ranges contains a number.
  private static func contains(_ ranges: [NumberRange], _ number: Double) -> Bool {
    let bytes = SortableNumber(number).bytes
    func isBelow(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
    return ranges.contains { range in
      let isAbove = range.lower.map { isBelow($0.number.bytes, bytes) || ($0.isInclusive && $0.number.bytes == bytes) }
      let isUnder = range.upper.map { isBelow(bytes, $0.number.bytes) || ($0.isInclusive && $0.number.bytes == bytes) }
      return isAbove ?? true && isUnder ?? true
    }
  }

  private static func calendar(_ timeZone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    (calendar.timeZone, calendar.firstWeekday) = (timeZone, 2)
    return calendar
  }

  /// The day of a value, as a number that grows with the day.
  private static func day(_ value: Double, _ calendar: Calendar) -> Int {
    if value.truncatingRemainder(dividingBy: 86_400) == 0 {
      guard let day = CalendarDay(secondsSince2001: value) else { return 0 }
      return day.year * 10_000 + day.month * 100 + day.day
    }
    let parts = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSinceReferenceDate: value))
    return (parts.year ?? 0) * 10_000 + (parts.month ?? 0) * 100 + (parts.day ?? 0)
  }

  private static func text(_ value: Double) -> String {
    String(DateText.format(secondsSince2001: value).prefix(10))
  }

  /// Days on which clocks change, 2011-12-30, and random days, as midnights UTC.
  private static func days(_ timeZone: TimeZone, _ generator: inout SeededGenerator) -> [Double] {
    var days: [Double] = [346_896_000, 346_982_400]
    var moment = Date(timeIntervalSinceReferenceDate: -300_000_000)
    while days.count < 60, let next = timeZone.nextDaylightSavingTimeTransition(after: moment), next > moment {
      days.append((next.timeIntervalSinceReferenceDate / 86_400).rounded(.down) * 86_400)
      moment = next
    }
    for _ in 0..<60 { days.append(Double(Int.random(in: -9_000...13_000, using: &generator)) * 86_400) }
    return days
  }

  @Test(arguments: names)
  func `a range of days contains the instants of these days and their plain dates`(_ name: String) throws {
    let timeZone = try #require(TimeZone(identifier: name))
    let zone = Self.zone(timeZone)
    let calendar = Self.calendar(timeZone)
    var generator = SeededGenerator(seed: 31)
    for start in Self.days(timeZone, &generator) {
      let end = start + Double(Int.random(in: 0...3, using: &generator)) * 86_400
      let first: DatePeriod = try #require(DatePeriod(Self.text(start), in: zone))
      let last: DatePeriod = try #require(DatePeriod(Self.text(end), in: zone))
      let whole = DateBound.ranges(from: first.lowest(isInclusive: true), to: last.highest(isInclusive: true))
      let since = DateBound.ranges(from: first.lowest(isInclusive: true), to: nil)
      let after = DateBound.ranges(from: first.lowest(isInclusive: false), to: nil)
      let until = DateBound.ranges(from: nil, to: last.highest(isInclusive: true))
      let before = DateBound.ranges(from: nil, to: last.highest(isInclusive: false))
      var values: [Double] = []
      for days in -4...4 { values += [start + Double(days) * 86_400, end + Double(days) * 86_400] }
      for bound in [first.start, first.end, last.start, last.end] { values += [bound - 1, bound, bound + 1] }
      for _ in 0..<40 { values.append(start + Double(Int.random(in: -260_000...520_000, using: &generator))) }
      let (low, high) = (Self.day(start, calendar), Self.day(end, calendar))
      for value in values {
        let day = Self.day(value, calendar)
        let found = [whole, since, after, until, before].map { Self.contains($0, value) }
        let wanted = [low <= day && day <= high, low <= day, low < day, day <= high, day < high]
        #expect(found == wanted, "\(name): \(low)..\(high) and \(value), of \(day)")
      }
    }
  }

  private static let relative: [(String, Calendar.Component, Int)] = [
    ("today", .day, 0), ("yesterday", .day, -1), ("tomorrow", .day, 1), ("last-week", .weekOfYear, -1),
    ("this-month", .month, 0), ("last-year", .year, -1),
  ]

  @Test(arguments: names)
  func `relative days are those of the zone`(_ name: String) throws {
    let timeZone = try #require(TimeZone(identifier: name))
    let zone = Self.zone(timeZone)
    let calendar = Self.calendar(timeZone)
    var generator = SeededGenerator(seed: 32)
    for _ in 0..<200 {
      let now = Double(Int.random(in: 400_000_000...900_000_000, using: &generator))
      for (text, unit, steps) in Self.relative {
        let moved = try #require(
          calendar.date(byAdding: unit, value: steps, to: Date(timeIntervalSinceReferenceDate: now)))
        let interval = try #require(calendar.dateInterval(of: unit, for: moved))
        let period: DatePeriod = try #require(DatePeriod(text, now: now, in: zone))
        #expect(period.start == interval.start.timeIntervalSinceReferenceDate, "\(name) \(text) at \(now)")
        #expect(period.end == interval.end.timeIntervalSinceReferenceDate, "\(name) \(text) at \(now)")
      }
    }
  }

  @Test func `a time with a zone means that moment, and one without a zone is in the user's`() throws {
    let tokyo = LocalZone { _ in 9 * 3_600 }
    let stated = try #require(DatePeriod("2001-01-01T09:00:00+09:00", in: tokyo))
    #expect(stated.lower == DateBound(instant: 0, plain: 0))
    let local = try #require(DatePeriod("2001-01-01T09:00", in: tokyo))
    #expect(local.lower == DateBound(instant: 0, plain: 9 * 3_600))
    let midnight = try #require(DatePeriod("2001-01-01", in: tokyo))
    #expect(midnight.lower == DateBound(instant: -9 * 3_600, plain: 0))
  }
}
