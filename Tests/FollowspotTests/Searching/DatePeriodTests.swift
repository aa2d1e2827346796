// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Base
@testable import Followspot
@testable import SearchIndex

@Suite(.overlapping)
struct DatePeriodTests {
  private static func start(_ year: Int, _ month: Int = 1, _ day: Int = 1) -> Double {
    CalendarDay(year: year, month: month, day: day).secondsSince2001
  }

  @Test(arguments: [
    ("1995", start(1995), start(1996)), ("1995-11", start(1995, 11), start(1995, 12)),
    ("1995-12", start(1995, 12), start(1996)), ("2000-02-29", start(2000, 2, 29), start(2000, 3)),
    ("0001", start(1), start(2)), ("1990s", start(1990), start(2000)),
    ("17.05.2023", start(2023, 5, 17), start(2023, 5, 18)), ("1.2.2023", start(2023, 2, 1), start(2023, 2, 2)),
    ("20230517", start(2023, 5, 17), start(2023, 5, 18)), ("2001-01-01T00:00:01Z", 1, (1.0).nextUp),
  ])
  func `a period has a start and an end`(_ text: String, _ start: Double, _ end: Double) throws {
    let period = try #require(DatePeriod(text, in: .utc))
    #expect([period.start, period.end] == [start, end])
  }

  @Test(arguments: [
    "", "95", "19955", "0000", "1995-", "1995-1", "1995-13", "1995-00", "1995-02-29", "1995-1-1", "-1995", "soon",
    "１９９５", "1995-11-", "1995-11-22T", "1995-011", "1995s", "990s", "3600s",
    "17.13.2023", "30.2.2023", "17.05.23", "1..2023", ".5.2023", "20231301", "2023051", "1.2.3.2023",
  ])
  func `other text is not a period`(text: String) {
    #expect(DatePeriod(text, in: .utc) == nil)
  }

  @Test(arguments: 0..<200)
  func `the terms of whole months cover exactly the range`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let first = Int.random(in: 1900 * 12..<2030 * 12, using: &random)
    let last = first + Int.random(in: 1...400, using: &random)
    let query = DatePeriod.query(
      from: Self.start(first / 12, first % 12 + 1), to: Self.start(last / 12, last % 12 + 1), fieldPrefix: "A", slot: 2)
    guard case .or(let terms) = query else {
      Issue.record("no terms but \(query)")
      return
    }
    var covered: [Int] = []
    for term in terms {
      let months = (first - 12...last + 12).filter {
        term == .term(DocumentLayout.monthTerm("A", $0 / 12, $0 % 12 + 1))
          || term == .term(DocumentLayout.yearTerm("A", $0 / 12))
      }
      covered += months
    }
    #expect(covered == Array(first..<last))
  }

  @Test func `other ranges compare values`() {
    func query(_ from: Double?, _ to: Double?) -> Query {
      DatePeriod.query(
        from: from, to: to,
        fieldPrefix: "A", slot: 2)
    }
    #expect(query(nil, nil) == .numbers(slot: 2, nil, nil))
    #expect(query(0, nil) == .numbers(slot: 2, 0, nil))
    #expect(query(nil, 0) == .numbers(slot: 2, nil, 0, isHalfOpen: true))
    #expect(query(1, 86_400) == .numbers(slot: 2, 1, 86_400, isHalfOpen: true))
    #expect(query(5, 5) == .nothing)
    #expect(query(5, 4) == .nothing)
    let (long, end) = (Self.start(1000), Self.start(2000))
    #expect(query(long, end) == .numbers(slot: 2, long, end, isHalfOpen: true))
  }
}
