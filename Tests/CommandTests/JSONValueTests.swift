// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Numbers, dates and truth values inside JSON, in stores and in ordinary databases. Answers are compared with SQL over the
/// JSON of the rows.
@Suite(.overlapping, .temporaryDirectory)
struct JSONValueTests {
  private static let things = """
    {"name": "table", "dims": {"w": 120.5, "h": 70, "made": "2019-05-01", "new": true, "label": "oak 5"}, "ratings": [5, 3]}
    {"name": "chair", "dims": {"w": 45, "h": 90, "made": "2020-02-29", "new": false}, "ratings": [1]}
    {"name": "lamp", "dims": {"w": -0.5, "made": "2020-03-01T10:00:00Z", "parts": [{"w": 3}, {"w": 8}]}, "ratings": []}
    {"name": "shelf", "dims": {"w": 120.25, "new": "true"}, "ratings": [4, 4]}
    {"name": "rug", "dims": {"h": 5}, "ratings": [2]}

    """

  private static func fixture() throws -> ShellFixture { try ShellFixture(things, kind: "Thing") }
  private static let shared = Result { try TemporaryDirectory.shared(fixture) }

  private func names(_ bench: ShellFixture, _ query: String, _ options: String...) throws -> [String] {
    let found = try bench.shell.run(["search", "--fields", "name", "-n", "0"] + options + ["--", query])
    #expect(found.code == (found.lines.isEmpty ? 1 : 0), "\(query): \(found)")
    return found.lines
  }

  private static let queries: [(String, [String])] = [
    ("dims.w:>100", ["shelf", "table"]), ("dims.w:>=120.25", ["shelf", "table"]), ("dims.w:>120.25", ["table"]),
    ("dims.w:<0", ["lamp"]), ("dims.w:-1..45", ["chair", "lamp"]), ("dims.w:-1..<45", ["lamp"]),
    ("dims.w:45", ["chair"]), ("dims.w:45.0", ["chair"]), ("dims.w:120", []), ("Dims.W > 100", ["shelf", "table"]),
    ("dims.parts.w:>5", ["lamp"]), ("dims.parts.w:3", ["lamp"]), ("dims.made:2020", ["chair", "lamp"]),
    ("dims.made:2020-02..2020-02", ["chair"]), ("dims.made:<2020", ["table"]), ("dims.made:>=2020-03-01", ["lamp"]),
    ("is:dims.new", ["table"]), ("dims.new:true", ["shelf", "table"]), ("dims.new:false", ["chair"]),
    ("NOT is:dims.new", ["chair", "lamp", "rug", "shelf"]), ("dims.h:>=5", ["chair", "rug", "table"]),
    ("ratings:>=4", ["shelf", "table"]), ("ratings:3", ["table"]), ("dims.label:5", ["table"]),
    ("dims.w:>100 dims.h:<100", ["table"]), ("chair dims.w:>40", ["chair"]),
  ]

  @Test(arguments: queries)
  func `conditions find values inside JSON`(_ query: String, _ expected: [String]) throws {
    let bench = try Self.shared.get()
    #expect(try names(bench, query).sorted() == expected)
    #expect(try bench.shell.run("count", "--", query).output == "\(expected.count)\n")
  }

  @Test func `values inside JSON are sorted and counted, and unknown keys are refused with the nearest`() throws {
    let bench = try Self.fixture()
    #expect(try names(bench, "dims.w:>-100", "--sort", "dims.w") == ["lamp", "chair", "shelf", "table"])
    #expect(try names(bench, "dims.w:>-100", "--sort", "dims.w:desc") == ["table", "shelf", "chair", "lamp"])
    let counted = try bench.shell.run("count", "*", "--by", "dims.h")
    #expect(counted.lines == ["1\t5", "1\t70", "1\t90"], "\(counted)")
    let facet = try bench.shell.run("search", "*", "--facet", "dims.new", "--format", "json")
    #expect(facet.output.contains(#""facets":{"dims.new":{"true":2,"false":1}}"#), "\(facet)")
    let unknown = try bench.shell.run("count", "dims.hh:>5")
    #expect(unknown.code == 2 && unknown.errors.contains("did you mean dims.h"), "\(unknown)")
    let words = try bench.shell.run("count", "dims.w:>wide")
    #expect(words.code == 2 && words.errors.contains("takes numbers or dates, not 'wide'"), "\(words)")
  }

  @Test func `a pattern finds the words of a JSON field and those under its keys, and counts each once`() throws {
    let records = """
      {"name": "table", "dims": {"label": "oak brown", "made": {"by": "Oakland oakwork"}, "tags": ["soak"]}}
      {"name": "chair", "dims": {"label": "beech", "wood": "oak"}}
      {"name": "cloak", "dims": {"label": "ash"}}

      """
    let bench = try ShellFixture(records, kind: "Thing", isIndexed: false)
    try bench.shell.succeed("index")
    let expected = [
      ("dims:*oak*", ["chair", "table"]), ("dims.label:*oak*", ["table"]), ("dims.made.by:*akw*", ["table"]),
      ("dims.made.by:*brown*", []), ("dims.wood:*oak", ["chair"]), ("*oak*", ["chair", "cloak", "table"]),
    ]
    for (query, found) in expected { #expect(try names(bench, query).sorted() == found, "\(query)") }
    func score(_ query: String) throws -> Substring? {
      let explained = try bench.shell.run("explain", "Thing/p2", query)
      return explained.lines.last?.firstMatch(of: /score [0-9.]+/)?.output
    }
    let plain = try #require(try score("dims:beech"))
    for query in ["dims:*eech", "dims.label:*eech", "*eech"] { #expect(try score(query) == plain, "\(query)") }
  }

  @Test func `signs in keys, long keys and many numbers do no harm`() throws {
    let long = String(repeating: "k", count: 300)
    let many = (0..<1_500).map { "\($0)" }.joined(separator: ",")
    let records = """
      {"name": "signs", "dims": {"w:x": 900, "w;x": true, "w<": "2020-01-01", "a b": 3}}
      {"name": "long", "dims": {"\(long)": true, "\(long)x": 5, "w": 1}}
      {"name": "many", "dims": {"w": [\(many)]}}

      """
    let bench = try ShellFixture(records, kind: "Thing", isIndexed: false)
    try bench.shell.succeed("index")
    #expect(try names(bench, "dims.w:>=900") == ["many"])
    #expect(try names(bench, "dims.w:>0").sorted() == ["long", "many"])
    #expect(try names(bench, "dims.ab:3") == ["signs"])
    let failed = try bench.shell.run("failed")
    #expect(failed.output.contains("of the numbers in a JSON value, the first 1000 are indexed"), "\(failed)")
    try bench.expectEqual(documents: 3)
  }

  @Test func `changes are found before they are indexed, and verify agrees afterwards`() throws {
    let bench = try Self.fixture()
    _ = try bench.importRecords(#"{"name": "bench", "dims": {"w": 200, "new": true}, "ratings": [5]}"# + "\n")
    #expect(try bench.shell.run("set", "name:chair", "dims:={\"w\": 7}", "-n", "1").code == 0)
    for _ in 0..<2 {
      #expect(try names(bench, "dims.w:>150") == ["bench"])
      #expect(try names(bench, "is:dims.new").sorted() == ["bench", "table"])
      #expect(try names(bench, "dims.w:45") == [])
      #expect(try names(bench, "dims.w:7") == ["chair"])
      #expect(try bench.shell.run("verify").code == 0)
      #expect(try bench.shell.run("index").code == 0)
    }
    try bench.expectEqual(documents: 6)
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 10))
  func `ranges over JSON of an ordinary database equal SQL`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = ShellFixture.empty()
    let connection = try Connection(path: bench.store, access: .create)
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data TEXT)")
    func object() -> String {
      let n =
        Bool.random(using: &generator)
        ? "\(Int.random(in: -50...50, using: &generator))"
        : "\(Double(Int.random(in: -5_000...5_000, using: &generator)) / 100)"
      let day = Int.random(in: 10...28, using: &generator)
      let isNew = Bool.random(using: &generator)
      return #"{"n": \#(n), "day": "2020-01-\#(day)", "new": \#(isNew), "deep": {"list": [\#(day), \#(day * 2)]}}"#
    }
    try connection.execute("BEGIN")
    for id in 1...200 { try connection.execute("INSERT INTO item VALUES (\(id), 'item\(id)', '\(object())')") }
    try connection.execute("COMMIT")
    #expect(try bench.shell.run("index").code == 0)
    func expected(_ condition: String, order: String = "id") throws -> [String] {
      let rows = try connection.cursor("SELECT name FROM item WHERE \(condition) ORDER BY \(order)")
      var found: [String] = []
      while try rows.step() { found.append(rows.text(at: 0)) }
      return found
    }
    for round in 0..<8 {
      let low = Double(Int.random(in: -5_000...5_000, using: &generator)) / 100
      let day = Int.random(in: 10...28, using: &generator)
      let n = "json_extract(data, '$.n')"
      for (query, condition) in [
        ("data.n:>=\(low)", "\(n) >= \(low)"), ("data.n:<\(low)", "\(n) < \(low)"),
        ("data.n:\(low)..\(low + 10)", "\(n) BETWEEN \(low) AND \(low + 10)"),
        ("data.day:>2020-01-\(day)", "json_extract(data, '$.day') > '2020-01-\(day)'"),
        ("is:data.new", "json_extract(data, '$.new') = 1"),
        ("data.deep.list:>\(day)", "EXISTS (SELECT 1 FROM json_each(data, '$.deep.list') WHERE value > \(day))"),
      ] {
        let sorted = try bench.shell.run("search", query, "-n", "0", "--sort", "data.n,name", "--fields", "name")
        let order = "\(n), name"
        let rows = try expected(condition, order: order)
        #expect(sorted.lines == rows, "\(query): \(sorted)")
      }
      // The next round searches changes that are not indexed, and the one after it has them in the index.
      for _ in 0..<5 {
        let id = Int.random(in: 1...200, using: &generator)
        try connection.execute("UPDATE item SET data = '\(object())' WHERE id = \(id)")
      }
      if round % 2 == 1 {
        #expect(try bench.shell.run("index").code == 0)
        try bench.expectEqual(documents: 200)
      }
    }
  }
}
