// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `sql` on groups of stores.
@Suite(.overlapping, .temporaryDirectory)
struct GroupSQLTests {
  private func statement(_ bench: GroupFixture, _ store: String, _ sql: String) throws -> [String] {
    let outcome = try bench.shell.run("--store", store, "sql", "--format", "tsv", sql)
    #expect(outcome.code == 0 && outcome.errors == "", "\(sql)\n\(outcome)")
    return outcome.lines
  }

  @Test func `a group of stores answers as one store, also what is not indexed`() throws {
    var bench = try GroupFixture(seed: 21, records: 60)
    try bench.add(10)
    for sql in [
      "SELECT title, year, genres FROM Film ORDER BY title",
      "SELECT year, count(*) FROM Film GROUP BY year ORDER BY year",
      "SELECT f.title, round(h.score, 6) FROM search('toy story') h JOIN Film f ON f.key = h.key ORDER BY 2 DESC, 1",
      "SELECT count(*) FROM Film WHERE key NOT IN (SELECT key FROM search('moon'))",
    ] {
      #expect(try statement(bench, "all", sql) == statement(bench, "whole", sql), "\(sql)")
    }
    #expect(
      try statement(bench, "all", "SELECT store, count(*) FROM Film GROUP BY store ORDER BY store")
        == ["one", "three", "two"].map { "\($0)\t\(try bench.rows("ZFILM", of: $0))" })
  }

  @Test func `a part that is missing is named, and an index of another machine is refused`() throws {
    let bench = try GroupFixture(seed: 22, records: 30)
    try FileManager.default.removeItem(atPath: bench.path("two"))
    let rest = try bench.rows("ZFILM", of: "one") + bench.rows("ZFILM", of: "three")
    let counted = try bench.shell.run("--store", "all", "sql", "SELECT count(*) FROM Film")
    #expect(counted.code == 8 && counted.output == "\(rest)\n", "\(counted)")
    #expect(counted.errors.hasPrefix("followspot: missing from this answer: two: no store at "), "\(counted)")
    let schema = try bench.shell.run("--store", "all", "sql", "--schema")
    #expect(schema.code == 8 && schema.errors == counted.errors && schema.lines.count == 2, "\(schema)")
    let remote = try bench.shell.run("--store", "one", "--store", "127.0.0.1:1", "sql", "SELECT 1")
    #expect(
      remote.code == 2
        && remote.errors.hasPrefix(
          "followspot: sql needs the store, but '127.0.0.1:1' names the index of another machine"),
      "\(remote)")
  }

  @Test func `the prompt shows the tables of a group`() throws {
    let bench = try GroupFixture(seed: 23, records: 30)
    let typed = try TypedShell(Shell.program + " --store mixed sql", name: "group", shell: bench.shell)
    defer { typed.end() }
    func shows(_ text: String) -> Bool { eventually { typed.shown.contains(text) } }
    #expect(shows("sql> "))
    try typed.type(".tables\n.schema book\n")
    #expect(shows("Film\r\nBook\r\nsearch\r\n") && shows("Book: key TEXT, entity TEXT"), "\(typed.shown)")
    try typed.type("SELECT key, title FROM search('maker');\n")
    #expect(shows("books:Book/p1  The Toy Maker\r\n"), "\(typed.shown)")
    try typed.type("\u{4}")
    #expect(eventually { !typed.isRunning }, "\(typed.shown)")
  }
}
