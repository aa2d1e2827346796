// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// What `index` prints at its end.
@Suite(.overlapping, .temporaryDirectory)
struct IndexReportTests {
  @Test func `every run of index ends with what it did`() throws {
    let bench = try ShellFixture(isIndexed: false)
    func run(_ arguments: String...) throws -> String {
      let report = try bench.report(try bench.shell.run(["index"] + arguments))
      #expect(report["seconds"] as? Double ?? -1 >= 0)
      return ["token", "inserted", "updated", "deleted", "skipped", "leftOut"]
        .map { "\(report[$0] as? Int ?? -1)" }.joined(separator: " ")
    }
    #expect(try run() == "1 8 0 0 0 0", "a build")
    #expect(try run() == "1 0 0 0 0 0", "nothing to do")
    #expect(try bench.shell.run("set", "Film/p1", "title=Toys").code == 0)
    #expect(try bench.shell.run("delete", "Film/p3").code == 0)
    try bench.importRecords(Films.additions(["New", "Newer"]), options: ["--kind", "Film"])
    #expect(try run() == "4 2 1 1 0 0", "changes of each kind")
    #expect(try bench.shell.run("set", "Film/p1", "title=Other").code == 0)
    #expect(try bench.shell.run("set", "Film/p1", "title=Toys").code == 0)
    #expect(try run() == "6 0 0 0 1 0", "a row that is as before")
    let definition = try bench.directory.write(
      #"{"format": 1, "entities": {"Film": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]}}}"#,
      to: "definition.json")
    #expect(try run("--definition", definition) == "6 9 0 0 0 0", "a build for another definition")
    #expect(try bench.shell.run("set", "Film/p1", "year:=2000").code == 0)
    #expect(try run() == "7 0 0 0 1 0", "an attribute that is not indexed")
    let follower = try bench.follow()
    #expect(try bench.shell.run("delete", "Film/p1").code == 0)
    #expect(try bench.shell.run("wait").code == 0)
    follower.signal(SIGTERM)
    let followed = try bench.report(follower.wait())
    #expect(followed["token"] as? Int == 8 && followed["deleted"] as? Int == 1, "\(followed)")
  }

  @Test func `every run on a database without history, and on several stores, ends with what it did`() throws {
    let bench = try ShellFixture.database("CREATE TABLE t (title TEXT); INSERT INTO t VALUES ('a'), ('b'), ('c')")
    func counts(_ outcome: Shell.Outcome) throws -> [Int] {
      let report = try bench.report(outcome)
      return ["inserted", "updated", "deleted"].map { report[$0] as? Int ?? -1 }
    }
    #expect(try counts(try bench.shell.run("index")) == [3, 0, 0])
    #expect(try counts(try bench.shell.run("index")) == [0, 0, 0])
    try bench.sql("UPDATE t SET title = 'd' WHERE rowid = 1; DELETE FROM t WHERE rowid > 1; INSERT INTO t VALUES ('e')")
    #expect(try counts(try bench.shell.run("index")) == [0, 2, 1], "rowid 2 is used again")
    try bench.sql("DELETE FROM t WHERE rowid = 1")
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try counts(try bench.shell.run("index")) == [0, 0, 1], "a comparison of all rows")

    let other = bench.directory.file("other.sqlite")
    try Connection(path: other, access: .create).execute("CREATE TABLE u (title TEXT); INSERT INTO u VALUES ('a')")
    let both = try bench.shell.succeed("--store", bench.store, "--store", other, "index")
    let lines = try both.lines.map(object)
    #expect(lines.map { $0["store"] as? String ?? "" } == [bench.store, other], "\(both)")
    #expect(lines.map { $0["inserted"] as? Int ?? -1 } == [0, 1], "\(both)")
  }

  @Test(.enabled(if: Terminal.isThere)) func `the first run says where the index is, and how large`() throws {
    let bench = try ShellFixture.database(Books.table)
    let first = try Terminal.lines(bench, "$F index", columns: 400)
    let built = #/built the index .*\.index in .*: [0-9]+ records?, [0-9.]+ [KM]iB/#
    #expect(first.contains { $0.contains(built) }, "\(first)")
  }

  @Test(.enabled(if: Terminal.isThere)) func `a terminal shows in words what index did`() throws {
    let bench = try ShellFixture.database(Books.table)
    #expect(try bench.shell.run("attach", "--key", "isbn").code == 0)
    try bench.sql("INSERT INTO book VALUES ('late', NULL)")
    let shown = try Terminal.lines(bench, "$F index 2> /dev/null")
    let words = try #require(shown.last).replacing(#/in .*: /#, with: "in TIME: ")
    #expect(words == "Indexed in TIME: 1 inserted, 0 updated, 0 deleted, 0 skipped, 1 left out.", "\(shown)")
  }
}
