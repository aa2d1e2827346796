// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `import` of numbers and dates as people write them in Europe and America. Values are compared with those that the test
/// wrote, and answers with SQL over the store.
@Suite(.overlapping, .temporaryDirectory)
struct ImportFormatTests {
  /// One row of SQL as texts, joined by `|`.
  private func rows(_ sql: String, _ bench: ShellFixture) throws -> [String] {
    let found = try Connection(path: bench.store, access: .readOnly).cursor(sql)
    var lines: [String] = []
    while try found.step() {
      lines.append(
        (0..<Int32(found.columnCount)).map { found.isNull(at: $0) ? "NULL" : found.text(at: $0) }.joined(separator: "|")
      )
    }
    return lines
  }

  /// Seconds since 2001 of a date in UTC.
  private func seconds(_ date: String) throws -> Double {
    let formatter = ISO8601DateFormatter()
    return try #require(formatter.date(from: date.count == 10 ? date + "T00:00:00Z" : date))
      .timeIntervalSinceReferenceDate
  }

  @discardableResult
  private func imported(
    _ cells: [String], _ bench: ShellFixture, _ options: [String] = ["--kind", "T"]
  ) throws -> Shell.Outcome {
    try bench.importRecords("id;v\n" + cells.map { "x;\($0)\n" }.joined(), as: "t.csv", options: options)
  }

  @Test(arguments: [
    (["176,11", "7,00", "-3,5"], "REAL|176.11 REAL|7.0 REAL|-3.5", "'176,11' is read as 176.11, with a decimal comma"),
    (["1.234,50", "1.234.567", "0,5"], "REAL|1234.5 REAL|1234567.0 REAL|0.5", "'1.234,50' is read as 1234.50, with"),
    (
      ["1 234,50", "12\u{a0}345,00", "9"], "REAL|1234.5 REAL|12345.0 REAL|9.0",
      "is read as 1234.50, with a decimal comma"
    ),
    (["1,234.50", "1,234,567", "0.5"], "REAL|1234.5 REAL|1234567.0 REAL|0.5", "'1,234.50' is read as 1234.50, with"),
    (["1.234.567", "-2.000.000"], "INTEGER|1234567 INTEGER|-2000000", "'1.234.567' is read as 1234567, with"),
    // Two readings fit.
    (
      ["1,234", "2,500"], "INTEGER|1234 INTEGER|2500",
      "'1,234' is read as 1234, with a decimal point; --decimal comma reads 1.234"
    ),
    (
      ["1.234", "2.500"], "REAL|1.234 REAL|2.5",
      "'1.234' is read as 1.234, with a decimal point; --decimal comma reads 1234"
    ),
  ])
  func `numbers are read by the form of their column`(_ cells: [String], _ stored: String, _ message: String) throws {
    let bench = ShellFixture.empty()
    let outcome = try imported(cells, bench)
    #expect(outcome.code == 0 && outcome.errors.contains("v: ") && outcome.errors.contains(message), "\(outcome)")
    #expect(
      try rows("SELECT typeof(ZV), ZV FROM ZT ORDER BY Z_PK", bench).joined(separator: " ") == stored.lowercasedTypes)
    let mark =
      message.contains("comma") && !message.contains("--decimal") || stored.hasPrefix("INTEGER|1234567")
        || cells[0] == "1.234,50" ? "comma" : "point"
    #expect(outcome.output.hasSuffix(",\"formats\":{\"v\":\"\(mark)\"}}\n"), "\(outcome)")
  }

  @Test(arguments: [
    (
      ["01.01.2000", "31.12.1999"], ["2000-01-01", "1999-12-31"], "dmy",
      "'01.01.2000' is read as 2000-01-01, day first\n"
    ),
    (
      ["3/14/2015", "12/1/2016"], ["2015-03-14", "2016-12-01"], "mdy",
      "'3/14/2015' is read as 2015-03-14, month first\n"
    ),
    (
      ["14/3/2015", "1/12/2016"], ["2015-03-14", "2016-12-01"], "dmy", "'14/3/2015' is read as 2015-03-14, day first\n"
    ),
    (
      ["2015/3/14", "2016.12.01"], ["2015-03-14", "2016-12-01"], "ymd",
      "'2015/3/14' is read as 2015-03-14, year first\n"
    ),
    (
      ["31-12-1999", "2000-02-01"], ["1999-12-31", "2000-02-01"], "dmy",
      "'31-12-1999' is read as 1999-12-31, day first\n"
    ),
    (
      ["31.12.1999 14:30", "1.1.2000, 09:05:07"], ["1999-12-31T14:30:00Z", "2000-01-01T09:05:07Z"], "dmy",
      "'31.12.1999 14:30' is read as 1999-12-31T14:30, day first\n"
    ),
    (
      ["3/14/2015 2:30 PM", "3/15/2015 12:05 AM"], ["2015-03-14T14:30:00Z", "2015-03-15T00:05:00Z"], "mdy",
      "'3/14/2015 2:30 PM' is read as 2015-03-14T14:30, month first\n"
    ),
    // Two readings fit.
    (
      ["01/02/2000", "03/04/2001"], ["2000-01-02", "2001-03-04"], "mdy",
      "'01/02/2000' is read as 2000-01-02, month first; --date-format dmy reads 2000-02-01\n"
    ),
    (
      ["01.02.2000", "03.04.2001"], ["2000-02-01", "2001-04-03"], "dmy",
      "'01.02.2000' is read as 2000-02-01, day first; --date-format mdy reads 2000-01-02\n"
    ),
  ])
  func `dates are read by the order of their column`(
    _ cells: [String], _ dates: [String], _ order: String, _ message: String
  ) throws {
    let bench = ShellFixture.empty()
    let outcome = try imported(cells, bench)
    #expect(outcome.code == 0 && outcome.errors.contains("v: " + message), "\(outcome)")
    #expect(outcome.output.hasSuffix(",\"formats\":{\"v\":\"\(order)\"}}\n"), "\(outcome)")
    let stored = try rows("SELECT ZV FROM ZT ORDER BY Z_PK", bench).compactMap(Double.init)
    let expected = try dates.map(seconds)
    #expect(stored == expected)
  }

  @Test func `cells that are plain already are not mentioned`() throws {
    let bench = ShellFixture.empty()
    let outcome = try bench.importRecords(
      "n,x,d,t\n1,0.5,2000-01-02,a\n2,12.25,2001-03-04T05:06,b\n", as: "t.csv", options: ["--kind", "T"])
    #expect(!outcome.errors.contains("is read as") && !outcome.output.contains("formats"), "\(outcome)")
  }

  @Test func `options choose between two readings, and other columns of the file do it without options`() throws {
    for (options, date) in [(["--date-format", "dmy"], "2000-02-01"), (["--date-format", "mdy"], "2000-01-02")] {
      let bench = ShellFixture.empty()
      let outcome = try imported(["01/02/2000"], bench, ["--kind", "T"] + options)
      #expect(!outcome.errors.contains("--date-format"), "\(outcome)")
      let expected = try [seconds(date)]
      #expect(try rows("SELECT ZV FROM ZT", bench).compactMap(Double.init) == expected)
    }
    do {
      let bench = ShellFixture.empty()
      _ = try imported(["1.234"], bench, ["--kind", "T", "--decimal", "comma"])
      #expect(try rows("SELECT ZV FROM ZT", bench) == ["1234"])
    }
    let bench = ShellFixture.empty()
    let text = "a;b;c;d\n1.234;0,5;01/02/2000;31/12/1999\n2.000;7,25;03/04/2001;01/01/2001\n"
    let outcome = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(outcome.output.contains(#""formats":{"a":"comma","b":"comma","c":"dmy","d":"dmy"}"#), "\(outcome)")
    #expect(try rows("SELECT ZA, ZB FROM ZT ORDER BY Z_PK", bench) == ["1234|0.5", "2000|7.25"])
    let expected = try [seconds("2000-02-01"), seconds("2001-04-03")]
    #expect(try rows("SELECT ZC FROM ZT ORDER BY Z_PK", bench).compactMap(Double.init) == expected)
  }

  @Test func `a few other values are reported with their lines, and many make the column text as it was`() throws {
    do {
      let bench = ShellFixture.empty()
      let cells = (1...199).map { "\($0),50" } + ["n/a"]
      let refused = try imported(cells, bench)
      #expect(
        refused.code == 2 && refused.errors.contains("v: 1 of its 200 values is not a number: 'n/a' in line 201"),
        "\(refused)")
      let lenient = try imported(cells, bench, ["--kind", "T", "--lenient"])
      #expect(lenient.code == 0, "\(lenient)")
      #expect(
        try rows("SELECT count(*), sum(ZV), sum(ZV IS NULL) FROM ZT", bench) == ["200|\(199.0 * 200 / 2 + 99.5)|1"])
    }
    for cells in [["1,5", "2,5", "x"], ["007", "1,5"], ["1.234.567", "12.12.2000"], ["1.1.00", "2.1.00"]] {
      let bench = ShellFixture.empty()
      #expect(try imported(cells, bench).code == 0)
      #expect(try rows("SELECT typeof(ZV), ZV FROM ZT ORDER BY Z_PK", bench) == cells.map { "text|" + $0 })
    }
  }

  @Test func `a type that an option names reads cells in their format, and text stays as it is`() throws {
    let bench = ShellFixture.empty()
    let text = "Umsatz;Datum;Nr\n1.234,50;1.2.2000;1.234,50\nviel;31.12.2000;2\n"
    let types = ["Umsatz=double", "Datum=date", "Nr=string"].flatMap { ["--type", $0] }
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"] + types)
    #expect(refused.code == 2 && refused.errors.contains("'viel' in line 3"), "\(refused)")
    let outcome = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--lenient"] + types)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      try rows("SELECT ZUMSATZ, ZNR FROM ZT ORDER BY Z_PK", bench) == ["1234.5|1.234,50", "NULL|2"])
    // A later file is read as its own cells say. ISO 8601 is read besides.
    let later = "Umsatz,Datum,Nr\n\"2,000.25\",2001-05-06,3\n1.5,12/31/2001,4\n"
    let second = try bench.importRecords(later, as: "u.csv")
    #expect(second.code == 0 && second.output.contains(#""formats":{"Umsatz":"point","Datum":"mdy"}"#), "\(second)")
    #expect(try rows("SELECT ZUMSATZ FROM ZT WHERE Z_PK > 2 ORDER BY Z_PK", bench) == ["2000.25", "1.5"])
    let expected = try [seconds("2001-05-06"), seconds("2001-12-31")]
    #expect(
      try rows("SELECT ZDATUM FROM ZT WHERE Z_PK > 2 ORDER BY Z_PK", bench).compactMap(Double.init) == expected)
    let again = try bench.importRecords(later, as: "u.csv")
    #expect(again.code == 2 && again.errors.contains("are in the store already"), "\(again)")
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 10))
  func `ranges, sorting and counts of what was read equal SQL and the values that were written`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    for isEuropean in [true, false] {
      let values = (0..<120).map { _ in Double(Int.random(in: -9_000_000...9_000_000, using: &generator)) / 100 }
      let days = (0..<120).map { _ in Int.random(in: -3_000...3_000, using: &generator) }
      let calendar = Calendar(identifier: .gregorian)
      var lines = "name;v;d\n"
      for (number, (value, day)) in zip(values, days).enumerated() {
        var utc = calendar
        utc.timeZone = try #require(TimeZone(identifier: "UTC"))
        let parts = utc.dateComponents(
          [.year, .month, .day], from: Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))
        let (year, month, date) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        let cents = Int((abs(value) * 100).rounded())
        var whole = String(cents / 100)
        var groups: [String] = []
        while whole.count > 3 {
          groups.insert(String(whole.suffix(3)), at: 0)
          whole = String(whole.dropLast(3))
        }
        groups.insert(whole, at: 0)
        let fraction = (cents % 100 < 10 ? "0" : "") + String(cents % 100)
        let number1 =
          (value < 0 ? "-" : "") + groups.joined(separator: isEuropean ? "." : ",") + (isEuropean ? "," : ".")
          + fraction
        lines +=
          "film\(number);\(number1);" + (isEuropean ? "\(date).\(month).\(year)" : "\(month)/\(date)/\(year)") + "\n"
      }
      let bench = ShellFixture.empty()
      let outcome = try bench.importRecords(lines, as: "t.csv", options: ["--kind", "T"])
      #expect(outcome.code == 0, "\(outcome)")
      #expect(try rows("SELECT ZV FROM ZT ORDER BY Z_PK", bench).compactMap(Double.init) == values)
      #expect(
        try rows("SELECT ZD FROM ZT ORDER BY Z_PK", bench).compactMap(Double.init) == days.map { Double($0) * 86_400 })
      #expect(try bench.shell.run("index").code == 0)
      for _ in 0..<6 {
        let bound = values.randomElement(using: &generator) ?? 0
        let day = days.randomElement(using: &generator) ?? 0
        let text = try rows("SELECT date(\(day) * 86400 + 978307200, 'unixepoch')", bench)[0]
        let greater = try rows("SELECT ZNAME FROM ZT WHERE ZV >= \(bound) ORDER BY ZV, Z_PK", bench)
        let found = try bench.shell.run("search", "v:>=\(bound)", "-n", "0", "--sort", "v", "--fields", "name")
        #expect(found.lines == greater, "\(found)")
        let later = try rows("SELECT ZNAME FROM ZT WHERE ZD >= \(day) * 86400 ORDER BY ZD DESC, Z_PK", bench)
        let dated = try bench.shell.run("search", "d:\(text)..", "-n", "0", "--sort", "d:desc", "--fields", "name")
        #expect(dated.lines == later, "\(dated)")
      }
      try bench.expectEqual(documents: 120)
    }
  }

  @Test(arguments: ["latin1", "latin-1", "iso-8859-1", "ISO-8859-1", "windows-1252", "cp1252"])
  func `Latin-1 is read as on the Web`(_ name: String) throws {
    let bench = ShellFixture.empty()
    let path = bench.directory.file("t.csv")
    // Größe;Preis / Müller;5 € in Windows-1252.
    let bytes: Data =
      Data("Gr".utf8) + [0xf6, 0xdf] + Data("e;Preis\nM".utf8) + [0xfc] + Data("ller;5 ".utf8) + [0x80, 0x0a]
    try bytes.write(to: URL(fileURLWithPath: path))
    let outcome = try bench.shell.run("import", path, "--kind", "T", "--encoding", name)
    #expect(outcome.code == 0 && outcome.errors.contains("in Latin-1"), "\(outcome)")
    let shown = try bench.shell.run("show", "T/p1", "--format", "ndjson").output
    #expect(shown.contains(#""Größe":"Müller","Preis":"5 €""#), "\(shown)")
  }
}

extension String {
  fileprivate var lowercasedTypes: String {
    replacing("REAL", with: "real").replacing("INTEGER", with: "integer")
  }
}
