// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

/// A plain year finds records by their dates and years, in the real program.
@Suite(.overlapping, .temporaryDirectory)
struct YearWordTests {
  private static let records = """
    {"title": "Summer of 1965", "year": 1999, "released": "1999-01-02", "pages": 1965}
    {"title": "Help", "year": 1965, "released": "1966-01-02", "pages": 300}
    {"title": "Rubber Soul", "year": 1966, "released": "1965-12-03", "pages": 1966}
    {"title": "Help again", "year": 1988, "released": "1988-12-03", "pages": 90000}

    """

  @Test func `a year finds texts first, then dates and years, and no other numbers`() throws {
    let bench = try ShellFixture(Self.records)
    let found = try bench.titles("1965")
    #expect(found.first == "Summer of 1965", "\(found)")
    #expect(found.sorted() == ["Help", "Rubber Soul", "Summer of 1965"], "\(found)")
    #expect(try bench.shell.run("count", "1965").output == "3\n")
    #expect(try bench.titles("help 1965", "--all") == ["Help"])
    #expect(try bench.titles("help -1965") == ["Help again"])
    #expect(try bench.titles("1988") == ["Help again"])
    for word in ["90000", "\"1988\"", "title:1988"] { #expect(try bench.titles(word) == [], "\(word)") }
    let explained = try bench.shell.run("explain", "Film/p2", "help 1965")
    #expect(explained.output.contains("year"), "\(explained)")
    #expect(try bench.shell.run("search", "1988").errors == "")
    // A change needs the name of the field.
    #expect(try bench.shell.run("delete", "1988", "--yes").code == 1)
    #expect(try bench.shell.run("schema").output.contains("\"holds\" : \"years\""))
  }

  private static let columns = "id INTEGER PRIMARY KEY, title TEXT, released TEXT, year INTEGER, pages INTEGER"

  @Test(arguments: 0..<3)
  func `a year finds what SQL finds, before and after a change is indexed`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    func row() -> String {
      let year = Int.random(in: 1960...1966, using: &random)
      let title = ["up", "red", "star", "1963", "1964"].shuffled(using: &random).prefix(2).joined(separator: " ")
      let day = "19\(Int.random(in: 60...66, using: &random))-0\(Int.random(in: 1...9, using: &random))-05"
      return "'\(title)', '\(day)', \(Bool.random(using: &random) ? "\(year)" : "NULL"), "
        + "\(Int.random(in: 1...4_000, using: &random))"
    }
    let bench = ShellFixture.empty()
    let rows = (1...80).map { "(\($0), \(row()))" }.joined(separator: ", ")
    let database = try Connection(path: bench.store, access: .create)
    try database.execute("CREATE TABLE film (\(Self.columns)); INSERT INTO film VALUES \(rows)")
    #expect(try bench.shell.run("attach", bench.store).code == 0)
    #expect(try bench.shell.run("index").code == 0)
    func expect() throws {
      for year in 1959...1967 {
        let text = "' ' || title || ' ' LIKE '% \(year) %'"
        let found = try bench.shell.run(
          "search", "\(year)", "-n", "0", "--format", "tsv", "--fields", "title", "--literal")
        let all = try database.integer(
          "SELECT COUNT(*) FROM film WHERE \(text) OR year = \(year) OR released LIKE '\(year)%'")
        let texts = try database.integer("SELECT COUNT(*) FROM film WHERE \(text)")
        #expect(Int64(found.lines.count) == all, "\(year): \(found)")
        let first = found.lines.prefix(Int(texts ?? 0))
        #expect(first.allSatisfy { $0.contains("\(year)") }, "\(year): \(found.lines)")
      }
    }
    try expect()
    for key in 1...20 {
      try database.execute("DELETE FROM film WHERE id = \(key); INSERT INTO film VALUES (\(key), \(row()))")
    }
    try expect()
    #expect(try bench.shell.run("index").code == 0)
    try expect()
  }
}
