// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `count --by FIELD --chart`: bars.
@Suite(.overlapping, .temporaryDirectory)
struct ChartTests {
  private func chart(_ bench: ShellFixture, _ field: String, locale: String = "C.UTF-8") throws -> [String] {
    var shell = bench.shell
    shell.environment["LC_ALL"] = locale
    let outcome = try shell.run("count", "*", "--by", field, "--chart")
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.lines
  }

  /// The labels and counts of the bars, whose lengths must be in proportion to the counts.
  private func bars(_ lines: [String]) -> [String] {
    let parsed = lines.compactMap { $0.wholeMatch(of: /(.*?) +(?:([█▏▎▍▌▋▊▉#]+) )?(\d+)/)?.output }
    #expect(parsed.count == lines.count, "\(lines)")
    let longest = parsed.map { $0.2?.count ?? 0 }.max() ?? 0
    let highest = parsed.compactMap { Int($0.3) }.max() ?? 1
    for bar in parsed {
      let wanted = Double(Int(bar.3) ?? 0) / Double(highest) * Double(longest)
      #expect(abs(Double(bar.2?.count ?? 0) - wanted) <= 1, "\(lines)")
    }
    return parsed.map { "\($0.1) \($0.3)" }
  }

  @Test func `texts are bars by frequency, and numbers and dates are histograms`() throws {
    let bench = try ShellFixture()
    #expect(try bars(chart(bench, "genres")) == ["Animated 5", "Comedy 3", "Drama 3", "Science Fiction 1"])
    #expect(
      try bars(chart(bench, "year"))
        == [
          "1994..1995 2", "1996..1997 0", "1998..1999 1", "2000..2001 1", "2002..2003 0", "2004..2005 0",
          "2006..2007 0", "2008..2009 2", "2010..2011 0", "2012..2013 0", "2014..2015 0", "2016..2017 1",
        ])
    #expect(
      try bars(chart(bench, "rating"))
        == [
          "5.4..5.6 1", "5.6..5.8 0", "5.8..6.0 0", "6.0..6.2 0", "6.2..6.4 0", "6.4..6.6 0", "6.6..6.8 1",
          "6.8..7.0 0", "7.0..7.2 0", "7.2..7.4 0", "7.4..7.6 0", "7.6..7.8 0", "7.8..8.0 1", "8.0..8.2 2",
          "8.2..8.4 1", "8.4..8.6 1",
        ])
    #expect(try bars(chart(bench, "released")) == bars(chart(bench, "year")))
    #expect(try bars(chart(bench, "genres", locale: "C")).count == 4)
    #expect(try chart(bench, "genres", locale: "C").joined().utf8.allSatisfy { $0 < 0x80 })
    #expect(try chart(bench, "genres").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: [
    (["2024-03-01", "2024-03-03", "2024-03-03T12:00:00Z"], ["2024-03-01 1", "2024-03-02 0", "2024-03-03 2"]),
    (["2023-12-31", "2024-02-01"], ["2023-12 1", "2024-01 0", "2024-02 1"]),
    (["1999-12-31", "2002-02-01"], ["1999 1", "2000 0", "2001 0", "2002 1"]),
  ])
  func `dates are counted by day, month or year`(_ dates: [String], _ expected: [String]) throws {
    let lines = dates.map { "{\"title\": \"a\", \"released\": \"\($0)\"}\n" }.joined()
    let bench = try ShellFixture(lines)
    #expect(try bars(chart(bench, "released")) == expected)
  }

  @Test func `many values, one value and extreme values have bars`() throws {
    let lines = (0..<1_000).map { number in
      #"{"name": "n\#(number % 30)", "size": \#(number), "one": 7, "far": \#(number == 0 ? "1e300" : "\(number).5")}"#
    }.joined(separator: "\n")
    let bench = try ShellFixture(lines)
    let names = try chart(bench, "name")
    #expect(names.count == 21 && names.last == "and 10 more values", "\(names)")
    #expect(try bars(chart(bench, "size")) == (0..<20).map { "\($0 * 50)..\($0 * 50 + 49) 50" })
    #expect(try bars(chart(bench, "one")) == ["7 1000"])
    #expect(try chart(bench, "far").count <= 21)
  }

  @Test(.enabled(if: Terminal.isThere, "there is no \(Terminal.script)"), arguments: [1, 10, 40, 200])
  func `the width of the terminal limits the bars`(_ columns: Int) throws {
    let bench = try ShellFixture()
    let lines = try Terminal.lines(
      bench, "LC_ALL=C.UTF-8 NO_COLOR=1 $F count '*' --by genres --chart 2>/dev/null; echo $?", columns: columns)
    #expect(lines.count == 5 && lines.last == "0", "\(lines)")
    if columns > 1 { #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)") }
  }

  @Test func `a chart needs a field and prints text`() throws {
    let bench = try ShellFixture()
    let alone = try bench.shell.run("count", "*", "--chart")
    #expect(alone.code == 2 && alone.errors.hasPrefix("followspot: --chart needs --by FIELD\n"), "\(alone)")
    let json = try bench.shell.run("count", "*", "--by", "year", "--chart", "--json")
    #expect(json.code == 2 && json.errors.hasPrefix("followspot: --chart prints text\n"), "\(json)")
  }
}
