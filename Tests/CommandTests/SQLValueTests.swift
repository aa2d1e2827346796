// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// How `sql` shows values and names, and its output formats.
@Suite(.overlapping, .temporaryDirectory)
struct SQLValueTests {
  private static let model = """
    {"entities": [
      {"name": "Order", "attributes": [
        {"name": "key", "type": "string"}, {"name": "group", "type": "string", "optional": true},
        {"name": "day", "type": "date", "optional": true}, {"name": "isOpen", "type": "boolean", "optional": true},
        {"name": "code", "type": "uuid", "optional": true}, {"name": "price", "type": "decimal", "optional": true},
        {"name": "tags", "type": "strings", "optional": true}, {"name": "more", "type": "json", "optional": true},
        {"name": "bytes", "type": "data", "optional": true}, {"name": "link", "type": "url", "optional": true}],
       "composites": [{"name": "address", "elements": [
         {"name": "city", "type": "string", "optional": true}, {"name": "since", "type": "date", "optional": true}]}]}]}
    """

  private static let orders = #"""
    {"key": "first", "group": "a\tb", "day": "1969-07-20T20:17:40Z", "isOpen": true, "code": "6B29FC40-CA47-1067-B31D-00DD010662DA", "price": 12.5, "tags": ["x", "y"], "more": {"depth": {"n": 3}}, "bytes": "AAEC", "link": "https://example.org/a", "address.city": "Oslo", "address.since": "2020-02-03"}
    {"key": "second", "day": "2024-01-02T03:04:05.250Z", "isOpen": false}
    {"key": "third", "day": "1899-12-31"}

    """#

  private func fixture() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(Self.model, to: "model.json")
    try #require(try bench.shell.run("migrate", model).code == 0)
    let imported = try bench.importRecords(Self.orders, options: ["--kind", "Order"])
    try #require(imported.code == 0, "\(imported)")
    return bench
  }

  @Test func `dates, booleans, UUIDs, JSON, composites and names of every kind can be queried`() throws {
    let bench = try fixture()
    #expect(
      try bench.statement("SELECT key, key2, day FROM \"order\" ORDER BY day") == [
        "Order/p3\tthird\t1899-12-31", "Order/p1\tfirst\t1969-07-20T20:17:40Z",
        "Order/p2\tsecond\t2024-01-02T03:04:05.250Z",
      ])
    // The same texts as in the output of search and show.
    let shown = try JSONValue(try bench.shell.run("show", "Order/p2", "--format", "ndjson").output)
    #expect(shown["fields"]?["day"]?.text == "2024-01-02T03:04:05.250Z")
    let first = try bench.statement(
      """
      SELECT isOpen + 1, code, price * 2, tags ->> 1, json_extract(more, '$.depth.n'), length(bytes), link, "group",
      "address.city", address ->> 'since' FROM [Order] WHERE code = '6B29FC40-CA47-1067-B31D-00DD010662DA'
      """)
    #expect(
      first == [
        "2\t6B29FC40-CA47-1067-B31D-00DD010662DA\t25\ty\t3\t3\thttps://example.org/a\ta b\tOslo\t2020-02-03"
      ])
    #expect(
      try bench.statement("SELECT address, tags, \"group\" FROM \"Order\" WHERE NOT isOpen") == ["\t\t"])
    for (condition, keys) in [
      ("day < '1900'", ["third"]), ("day < '1969-07-20T20:17:40Z'", ["third"]),
      ("day <= '1969-07-20T20:17:40Z'", ["third", "first"]), ("day > '2024-01-02T03:04:05.249Z'", ["second"]),
      ("day = '2024-01-02T03:04:05.250Z'", ["second"]), ("day BETWEEN '1900-01-01' AND '2000-01-01'", ["first"]),
      ("price = 12.5", ["first"]), ("code = '6b29fc40-ca47-1067-b31d-00dd010662da'", []),
      ("day > 5", []),
    ] as [(String, [String])] {
      #expect(try bench.statement("SELECT key2 FROM \"Order\" WHERE \(condition) ORDER BY day") == keys, "\(condition)")
    }
  }

  @Test func `every format prints names, NULL and BLOBs`() throws {
    let bench = try fixture()
    let sql = "SELECT key2 AS name, bytes, price, address, \"group\" FROM \"Order\" ORDER BY key LIMIT 2"
    func printed(_ format: String) throws -> String { try bench.shell.run("sql", sql, "--format", format).output }
    let address = #"{"city":"Oslo","since":"2020-02-03"}"#
    let text = try printed("text")
    #expect(text == "first\tAAEC\t12.5\t\(address)\ta b\nsecond\t\t\t\t\n")
    #expect(try printed("tsv") == "first\tAAEC\t12.5\t\(address)\ta b\nsecond\t\t\t\t\n")
    #expect(
      try printed("csv") == "name,bytes,price,address,group\r\n"
        + "first,AAEC,12.5,\"{\"\"city\"\":\"\"Oslo\"\",\"\"since\"\":\"\"2020-02-03\"\"}\",a\tb\r\nsecond,,,,\r\n")
    let quoted = #""{\"city\":\"Oslo\",\"since\":\"2020-02-03\"}""#
    let rows = [
      #"{"name":"first","bytes":"AAEC","price":12.5,"address":\#(quoted),"group":"a\tb"}"#,
      #"{"name":"second","bytes":null,"price":null,"address":null,"group":null}"#,
    ]
    #expect(try printed("ndjson") == rows.map { $0 + "\n" }.joined())
    #expect(
      try printed("json") == #"{"format":2,"columns":["name","bytes","price","address","group"],"rows":["#
        + rows.joined(separator: ",") + "]}\n")
  }

  @Test func `columns with one name have distinct names in JSON`() throws {
    let bench = try ShellFixture()
    let sql = #"SELECT 1 AS a, 2 AS a, 3 AS "a:1", 4 AS a, 5 AS A"#
    let row = #"{"a":1,"a:2":2,"a:1":3,"a:3":4,"A":5}"#
    let printed = try ["ndjson", "json", "csv"].map { try bench.shell.run("sql", sql, "--format", $0).output }
    #expect(
      printed == [
        row + "\n", #"{"format":2,"columns":["a","a:2","a:1","a:3","A"],"rows":[\#(row)]}"# + "\n",
        "a,a,a:1,a,A\r\n1,2,3,4,5\r\n",
      ])
  }

  @Test func `limits, inputs and exit codes`() throws {
    let bench = try ShellFixture()
    let cut = try bench.shell.run("sql", "-n", "2", "SELECT key FROM Film ORDER BY key")
    #expect(cut.output == "Film/p1\nFilm/p2\n")
    #expect(cut.errors == "followspot: only the first 2 rows of more are printed (-n)\n")
    #expect(try bench.shell.run("sql", "-n", "8", "SELECT key FROM Film").errors == "")
    let none = try bench.shell.run("sql", "SELECT key FROM Film WHERE year = 1")
    #expect(none.code == 1 && none.output == "" && none.errors == "")
    for arguments in [["sql"], ["sql", "-"]] {
      let piped = try bench.shell.run(
        arguments, input: "-- a comment\nSELECT title FROM Film\n WHERE key = 'Film/p4';\n")
      #expect(piped.code == 0 && piped.output == "Up\n", "\(piped)")
    }
    let schema = try bench.shell.run("sql", "--schema")
    #expect(
      schema.output == """
        Film: key TEXT, entity TEXT, title TEXT, year INTEGER, rating REAL, released TEXT, isFavorite INTEGER, \
        genres TEXT, people TEXT, plot TEXT
        search(words, kind): key TEXT, entity TEXT, id TEXT, score REAL, rank INTEGER, title TEXT, snippet TEXT

        """)
  }

  @Test(.enabled(if: Screen.isThere, "there is no \(Screen.program)"))
  func `a terminal shows an aligned table with the names of the columns`() throws {
    let bench = try ShellFixture()
    let shown = try Screen(columns: 60, bench: bench).lines(
      after: "followspot sql \"SELECT title, year, rating FROM Film WHERE year < 2005 ORDER BY key\"")
    #expect(
      shown == [
        "title           year  rating", "Toy Story       1995  8.3", "Toy Story 2     1999  7.9",
        "Monsters, Inc.  2001  8.1", "The Seed        1995  5.5",
      ])
  }
}
