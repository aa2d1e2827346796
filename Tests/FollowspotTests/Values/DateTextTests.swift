import Followspot
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
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

  @Test(arguments: [(Double.infinity, "inf"), (1e12, "1000000000000.0"), (-1e11, "-100000000000.0")])
  func `a time outside the calendar's range is formatted as a number`(_ seconds: Double, _ text: String) {
    #expect(DateText.format(secondsSince2001: seconds) == text)
  }
}
