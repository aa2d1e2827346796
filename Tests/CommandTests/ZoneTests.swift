// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Days in queries under `TZ`, against Foundation's calendar.
@Suite(.overlapping, .temporaryDirectory)
struct ZoneTests {
  private static let zones = [
    "America/New_York", "Pacific/Pago_Pago", "Europe/Berlin", "Asia/Tokyo", "Pacific/Kiritimati", "UTC",
  ]

  private static func calendar(_ zone: String) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    calendar.firstWeekday = 2
    return calendar
  }

  /// One record for each instant, with the plain date of its day in Greenwich.
  private static func lines(_ instants: [Date]) -> String {
    instants.enumerated().map { number, instant in
      let text = instant.formatted(.iso8601)
      return #"{"title": "r\#(number)", "at": "\#(text)", "day": "\#(text.prefix(10))"}"# + "\n"
    }.joined()
  }

  private func found(_ bench: ShellFixture, _ zone: String, _ query: String) throws -> Set<String> {
    var shell = bench.shell
    shell.environment["TZ"] = zone
    let outcome = try shell.run("search", query, "--format", "tsv", "--fields", "title")
    #expect(outcome.errors == "", "\(outcome)")
    return Set(outcome.lines)
  }

  /// Days on which clocks change in New York and Berlin, a day without a change, and the ends of months.
  private static let days = ["2024-03-10", "2024-11-03", "2024-03-31", "2024-10-27", "2024-02-29", "2024-07-01"]

  /// The titles of the instants whose date in a calendar begins with `prefix`: `2024-03` or `2024-03-10`.
  private static func titles(_ instants: [Date], in calendar: Calendar, of prefix: String) -> Set<String> {
    var titles: Set<String> = []
    for (number, instant) in instants.enumerated() {
      let parts = calendar.dateComponents([.year, .month, .day], from: instant)
      let numbers = [parts.year ?? 0, parts.month ?? 0, parts.day ?? 0]
      let text = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
      if text.hasPrefix(prefix) { titles.insert("r\(number)") }
    }
    return titles
  }

  /// The titles of the instants in a unit of time some steps from now.
  private static func titles(
    _ instants: [Date], in calendar: Calendar, _ unit: Calendar.Component, steps: Int
  ) throws -> Set<String> {
    let day = try #require(calendar.date(byAdding: unit, value: steps, to: Date()))
    let interval = try #require(calendar.dateInterval(of: unit, for: day))
    var titles: Set<String> = []
    for (number, instant) in instants.enumerated() where interval.start <= instant && instant < interval.end {
      titles.insert("r\(number)")
    }
    return titles
  }

  @Test(arguments: zones)
  func `a day is one of the user's zone for instants, and the same everywhere for plain dates`(zone: String) throws {
    var instants: [Date] = []
    for day in Self.days {
      let start = try Date(day + "T00:30:00Z", strategy: .iso8601)
      for hour in -40...64 { instants.append(start.addingTimeInterval(Double(hour) * 3_600)) }
    }
    let (own, greenwich) = (try Self.calendar(zone), try Self.calendar("UTC"))
    let bench = try ShellFixture(Self.lines(instants), kind: "Event")
    for period in Self.days + ["2024-03"] {
      let wanted = Self.titles(instants, in: own, of: period)
      #expect(try found(bench, zone, "at:\(period)") == wanted, "\(period)")
      let plain = Self.titles(instants, in: greenwich, of: period)
      #expect(try found(bench, zone, "day:\(period)") == plain, "\(period)")
    }
  }

  @Test(arguments: zones)
  func `today, yesterday and last week are those of the user's zone`(zone: String) throws {
    let hour = (Date().timeIntervalSince1970 / 3_600).rounded(.down) * 3_600
    var instants: [Date] = []
    for step in -400...60 { instants.append(Date(timeIntervalSince1970: hour + Double(step) * 3_600 + 900)) }
    let calendar = try Self.calendar(zone)
    let bench = try ShellFixture(Self.lines(instants), kind: "Event")
    let periods: [(String, Calendar.Component, Int)] = [
      ("today", .day, 0), ("yesterday", .day, -1), ("last-week", .weekOfYear, -1),
    ]
    for (name, unit, steps) in periods {
      let before = try Self.titles(instants, in: calendar, unit, steps: steps)
      let titles = try found(bench, zone, "at:\(name)")
      // A day may have ended meanwhile.
      let after = try Self.titles(instants, in: calendar, unit, steps: steps)
      #expect(titles == before || titles == after, "\(name)")
    }
    let saved = try found(bench, zone, "changed:today")
    #expect(saved.count == instants.count)
  }
}
