// SPDX-License-Identifier: MIT

import Base
import TestSupport
import Testing

struct DateTextTests {
  @Test(
    arguments: [
      ("2001-01-01", 0), ("2001-01-02", 86_400), ("2000-12-31", -86_400), ("1970-01-01", -978_307_200),
      ("2001-01-01T00:00:01Z", 1), ("2001-01-01T00:00:01", 1), ("2001-01-01 00:00:01", 1), ("2001-01-01T00:01Z", 60),
      ("2001-01-01T00:01", 60), ("2001-01-01T00:00:00.5Z", 0.5), ("2001-01-01T02:00:00+02:00", 0),
      ("2000-12-31T22:00:00-02:00", 0), ("2001-01-01T02:00+02:00", 0),
    ] as [(String, Double)])
  func `a date is parsed`(_ text: String, _ seconds: Double) {
    #expect(DateText.parse(text) == seconds)
  }

  @Test(arguments: [
    "", "2001", "2001-01", "2001-1-1", "2001-13-01", "2001-00-01", "2001-01-00", "2001-01-32", "2001-02-29",
    "1900-02-29", "2001-04-31", "0000-01-01", "2001/01/01", "2001-01-01T", "2001-01-01X00:00:00",
    "2001-01-01T25:00:00Z",
    "２００１-01-01", "2001-01-0１", "2001-01-01é", "2001-01-01T00:00:00é", " 2001-01-01", "2001-01-01 ", "soon",
    "+001-01-01", "2001-01-01T00:00:00Zjunk", "2001-01-01T00:60:00Z",
  ])
  func `other text is not a date`(text: String) {
    #expect(DateText.parse(text) == nil)
  }

  @Test(arguments: ["1600-02-29", "2000-02-29", "2004-02-29", "0001-01-01", "9999-12-31", "1582-10-10"])
  func `a day is parsed and formatted without loss`(text: String) throws {
    #expect(DateText.format(secondsSince2001: try #require(DateText.parse(text))) == text)
  }

  @Test(arguments: 0..<200)
  func `a time is formatted and parsed with millisecond precision`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let seconds = Double.random(in: -5e9...5e9, using: &random).rounded() + Double(seed % 4) / 4
    let text = DateText.format(secondsSince2001: seconds)
    #expect(DateText.parse(text) == seconds, "\(text)")
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `each millisecond of every year is formatted as it was written`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    func padded(_ number: Int, _ width: Int) -> String {
      String(repeating: "0", count: width - String(number).count) + String(number)
    }
    for _ in 0..<2_000 {
      let day = [(1...9999, 4), (1...12, 2), (1...28, 2)].map { padded(Int.random(in: $0, using: &random), $1) }
      let time = [0...23, 0...59, 0...59].map { padded(Int.random(in: $0, using: &random), 2) }
      let fraction = padded(Int.random(in: 1...999, using: &random), 3)
      let text = "\(day.joined(separator: "-"))T\(time.joined(separator: ":")).\(fraction)Z"
      #expect(DateText.format(secondsSince2001: try #require(DateText.parse(text))) == text, "seed \(seed)")
    }
  }

  @Test(arguments: [
    (0.9996, "2001-01-01T00:00:01.000Z"),
    (86_399.9999, "2001-01-02T00:00:00.000Z"), (-0.001, "2000-12-31T23:59:59.999Z"),
  ])
  func `a time is rounded to the nearest millisecond`(_ seconds: Double, _ text: String) {
    #expect(DateText.format(secondsSince2001: seconds) == text)
  }

  @Test(arguments: [(Double.infinity, "inf"), (1e12, "1000000000000.0"), (-1e11, "-100000000000.0")])
  func `a time outside the calendar's range is formatted as a number`(_ seconds: Double, _ text: String) {
    #expect(DateText.format(secondsSince2001: seconds) == text)
  }
}
