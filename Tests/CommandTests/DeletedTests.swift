// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `deleted:` finds deleted records by the values that the history preserves.
@Suite(.overlapping, .temporaryDirectory)
struct DeletedTests {
  private let directory = TemporaryDirectory()

  /// Films 1, 3 and 4 are deleted, the first one by `curator`.
  private static func fixture() throws -> ShellFixture {
    let bench = try ShellFixture.preservedFilms()
    #expect(try bench.shell.run("delete", "Film/p1", "--author", "curator").code == 0)
    #expect(try bench.shell.run("delete", "Film/p3", "Film/p4", "--yes").code == 0)
    return bench
  }

  private static let notIndexed = Result { try TemporaryDirectory.shared(fixture) }
  private static let indexed = Result {
    let bench = try TemporaryDirectory.shared(fixture)
    try bench.shell.succeed("index")
    return bench
  }

  @Test(arguments: [
    ("deleted:*", ["Up", "Cars", "Toy Story"]), ("deleted:* toy", ["Toy Story"]),
    ("deleted:today story", ["Toy Story"]), ("deleted:1d..", ["Up", "Cars", "Toy Story"]), ("deleted:yesterday", []),
    ("@deleted:* up", ["Up"]), ("deleted:2001", []), ("deleted>2001 deleted:1h", ["Up", "Cars", "Toy Story"]),
    ("deleted:1h deleted:2001", []), ("deleted:* author:curator", ["Toy Story"]), ("deleted:* author:importer", []),
    ("deleted:* tx:4", ["Up", "Cars"]), ("deleted:* NOT tx:4", ["Toy Story"]), ("deleted:* year:2000..2007", ["Cars"]),
    ("deleted:* slug:up", ["Up"]), ("deleted:* plot:cowboy", []),
    ("deleted:* AND (toy OR cars)", ["Cars", "Toy Story"]),
    ("deleted:* \"toy story\"", ["Toy Story"]), ("deleted:* toi", ["Toy Story"]), ("deleted:* -toy -up", ["Cars"]),
    ("toy", ["Toy Story 2"]), ("author:curator", []),
  ])
  func `conditions select deleted records, the newest first`(_ query: String, _ titles: [String]) throws {
    // The index does not change the answer.
    let bench = try Self.indexed.get()
    let first = try bench.newest() - 3
    let query = query.replacing("tx:4", with: "tx:\(first + 3)")
    #expect(try Self.notIndexed.get().titles(query) == titles)
    #expect(try bench.titles(query) == titles)
    // `count` does not correct words.
    guard query.contains("deleted"), !query.contains("toi") else { return }
    #expect(try bench.shell.run("count", "--", query).output == "\(titles.count)\n")
    let counted = try bench.shell.run("count", "--by", "title", "--", query).lines
    #expect(counted == titles.sorted().map { "1\t\($0)" })
    #expect(try bench.titles(query, "--sort", "year") == ["Toy Story", "Cars", "Up"].filter(titles.contains))
  }

  @Test func `each format says when and by whom a record was deleted`() throws {
    let bench = try Self.fixture()
    func output(_ options: String...) throws -> String {
      neutral(try bench.shell.run(["search", "deleted:* toy"] + options).output)
    }
    let token = try bench.newest() - 1
    let score = try #require(try output().firstMatch(of: /\d+\.\d{3}/)).output
    let uri = "x-coredata://UUID/Film/p1"
    #expect(try output() == "Film/p1\t\(score)\tToy Story\tTIME\tcurator\n")
    #expect(try output("--format", "tsv") == "\(uri)\t\(score)\tToy Story\tTIME\tcurator\n")
    #expect(
      try output("--format", "csv")
        == "@id,@score,title,@deleted,@author\r\n\(uri),\(score),Toy Story,TIME,curator\r\n")
    let hit =
      #"{"id":"\#(uri)","entity":"Film","title":"Toy Story","score":\#(score),"freshness":"deleted","#
      + #""fields":{"slug":"toy","title":"Toy Story","year":1995},"#
      + #""deleted":{"timestamp":"TIME","author":"curator","transaction":\#(token)}}"#
    #expect(try output("--format", "ndjson") == hit + "\n")
    #expect(try output("--format", "json").contains(#""hits":[\#(hit)]"#))
    #expect(try output("--fields", "title,@deleted,@author,@tx") == "Toy Story\tTIME\tcurator\t\(token)\n")
    let present = try bench.shell.run("search", "toy", "--fields", "title,@deleted,@author,@tx")
    #expect(present.output == "Toy Story 2\t\t\t\n")
    let snippet = try output("--snippets").split(separator: "\t").last
    #expect(snippet == "toy\n")
  }

  @Test(.enabled(if: Terminal.isThere, "there is no \(Terminal.script)"))
  func `a terminal shows when and by whom beside the title`() throws {
    let bench = try Self.fixture()
    let lines = try Terminal.lines(bench, "$F search deleted:1h --color never 2>/dev/null")
    let expected = [
      /Up         Film\/p3  deleted (just now|\d+ seconds? ago)/,
      /Cars       Film\/p4  deleted (just now|\d+ seconds? ago)/,
      /Toy Story  Film\/p1  deleted (just now|\d+ seconds? ago) by curator/,
    ]
    #expect(lines.count == 3)
    for (line, pattern) in zip(lines, expected) { #expect(line.wholeMatch(of: pattern) != nil, "\(lines)") }
    let narrow = try Terminal.lines(bench, "$F search deleted:1h --color never 2>/dev/null; echo $?", columns: 1)
    #expect(narrow.last == "0", "\(narrow)")
  }

  @Test(arguments: [
    (["search", "toy OR deleted:*"], "cannot be part of OR\n  toy OR deleted:*\n         ^\n"),
    (["search", "toy NOT deleted:2d"], "cannot be part of NOT\n  toy NOT deleted:2d\n          ^\n"),
    (["search", "--", "-deleted:*"], "cannot be part of NOT\n  -deleted:*\n   ^\n"),
    (["search", "deleted:soon"], "takes dates, not 'soon'\n  deleted:soon\n          ^\n"),
    (["search", "deleted:2026..2024"], "ends before it begins"),
    (["search", "deleted:*", "--index-only"], "which the index does not contain\n  deleted:*\n  ^\n"),
    (["delete", "deleted:*", "--yes"], "which cannot be changed\n  deleted:*\n  ^\n"),
    (["set", "deleted:*", "year:=1", "--yes"], "which cannot be changed\n  deleted:*\n  ^\n"),
    (["explain", "Film/p2", "deleted:*"], "which are not explained\n  deleted:*\n  ^\n"),
  ])
  func `what cannot be answered is refused with its position`(_ command: [String], _ error: String) throws {
    let bench = try Self.fixture()
    let newest = try bench.newest()
    let outcome = try bench.shell.run(command)
    #expect(outcome.code == 2 && outcome.errors.contains(error), "\(outcome)")
    #expect(try bench.newest() == newest)
  }

  @Test func `show prints what the history still contains, and its exit code says that there is no record`() throws {
    let bench = try Self.fixture()
    let token = try bench.newest() - 1
    let shown = try bench.shell.run("show", "Film/p1")
    #expect(shown.code == 1 && shown.errors == "followspot: Film/p1 was deleted\n", "\(shown)")
    #expect(
      neutral(shown.output) == """
        x-coredata://UUID/Film/p1
        deleted: TIME by curator in transaction \(token)
        slug: toy
        title: Toy Story
        year: 1995

        """)
    let lines = try bench.shell.run("show", "Film/p2", "Film/p1", "Film/p99", "--format", "ndjson")
    #expect(lines.code == 1 && lines.errors == "followspot: Film/p1 was deleted\nfollowspot: there is no Film/p99\n")
    #expect(
      neutral(lines.lines.last ?? "")
        == #"{"id":"x-coredata://UUID/Film/p1","entity":"Film","fields":{"slug":"toy","title":"Toy Story","year":1995},"#
        + #""deleted":{"timestamp":"TIME","author":"curator","transaction":\#(token)}}"#)
  }

  @Test func `a purged history says where it begins`() throws {
    let bench = try Self.fixture()
    let newest = try bench.newest()
    #expect(try bench.shell.run("index").code == 0)
    try bench.shell.succeed("history", "purge", "--before", "\(newest)")
    let found = try bench.shell.run("search", "deleted:*", "--fields", "title")
    #expect(found.lines == ["Up", "Cars"])
    let note = found.errors.replacing(/\d{4}-\d\d-\d\d/, with: "DATE")
    #expect(
      note == "followspot: the history begins on DATE with transaction \(newest); earlier deletions are not known\n")
    #expect(try bench.shell.run("show", "Film/p1").errors == "followspot: there is no Film/p1\n")
  }

  @Test func `an answer without hits says which values can be searched`() throws {
    do {
      let bench = try Self.fixture()
      let outcome = try bench.shell.run("search", "deleted:* plot:cowboy")
      #expect(outcome.code == 1)
      #expect(outcome.errors == "followspot: of deleted records, the history preserves slug, title, year of Film\n")
    }
    let bench = ShellFixture(directory: directory, shell: Shell(in: directory))
    try Connection(path: bench.store, access: .create).execute("CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)")
    #expect(try bench.shell.run("index").code == 0)
    let outcome = try bench.shell.run("search", "deleted:*")
    #expect(outcome.code == 2)
    #expect(
      outcome.errors == "followspot: deleted finds nothing: this database keeps no history\n  deleted:*\n  ^\n"
        + "hint: followspot attach --preserve name records changes from now on\n")
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 20))
  func `hits equal the records whose last change is a deletion, as SQL finds them`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = ShellFixture(directory: directory, shell: Shell(in: directory))
    let connection = try Connection(path: bench.store, access: .create)
    try connection.execute("CREATE TABLE film (id INTEGER PRIMARY KEY, code TEXT UNIQUE, title TEXT)")
    try bench.shell.succeed("attach", bench.store, "--preserve", "code")
    #expect(try bench.shell.run("index").code == 0)
    for round in 0..<12 {
      let author = ["ann", "ben"].randomElement(using: &generator)!
      try connection.execute("BEGIN; UPDATE followspot_writer SET author = '\(author)'")
      for _ in 0..<8 {
        // Keys and codes are used again.
        let key = Int.random(in: 1...12, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: try connection.execute("INSERT OR IGNORE INTO film VALUES (\(key), 'code\(key % 7) r\(round)', 'a')")
        case 1: try connection.execute("UPDATE film SET title = 'title \(round)' WHERE id = \(key)")
        default: try connection.execute("DELETE FROM film WHERE id = \(key)")
        }
      }
      try connection.execute("UPDATE followspot_writer SET author = NULL; COMMIT")
      for author in ["ann", "ben"] {
        let rows = try connection.cursor(
          """
          SELECT c.rowKey, c.value0 FROM followspot_change c JOIN followspot_author a ON a.id = c.author
          WHERE c.kind = 2 AND a.name = '\(author)'
          AND NOT EXISTS (SELECT 1 FROM followspot_change d WHERE d.rowKey = c.rowKey AND d.number > c.number)
          ORDER BY c.number DESC
          """)
        var expected: [String] = []
        while try rows.step() { expected.append("film/\(rows.integer(at: 0))\t\(rows.text(at: 1))") }
        let found = try bench.shell.run("search", "deleted:* author:\(author)", "-n", "0", "--fields", "@id,code")
        #expect(found.lines == expected, "\(found)")
      }
      if Bool.random(using: &generator) { #expect(try bench.shell.run("index").code == 0) }
    }
    let all = try bench.shell.run("search", "deleted:*", "-n", "0", "--fields", "code").lines
    let some = try bench.shell.run("search", "deleted:* code:code3", "-n", "0", "--fields", "code").lines
    #expect(some.sorted() == all.filter { $0.hasPrefix("code3 ") }.sorted())
  }

  @Test func `a record that is inserted again under its identifier is not deleted`() throws {
    let bench = try ShellFixture.preservedFilms()
    let row = "Z_ENT, Z_OPT, ZSLUG, ZTITLE, ZYEAR"
    #expect(try bench.shell.run("delete", "Film/p1").code == 0)
    #expect(try bench.titles("deleted:*") == ["Toy Story"])
    try bench.sql("INSERT INTO ZFILM (Z_PK, \(row)) SELECT 1, Z_ENT, 1, 'again', 'Again', 2000 FROM ZFILM LIMIT 1")
    #expect(try bench.titles("deleted:*") == [])
    #expect(try bench.shell.run("show", "Film/p1").code == 0)
  }

  @Test func `a live search prints each deletion`() throws {
    let bench = try ShellFixture.preservedFilms()
    let running = try bench.shell.start(["search", "--live", "deleted:1h", "--fields", "title,@author"])
    try bench.shell.run("delete", "Film/p1", "--author", "curator")
    #expect(eventually { running.output.contains("Toy Story\tcurator\n") }, "\(running.output)\(running.errors)")
    #expect(running.end().code == 0)
  }

  @Test func `help knows the condition`() throws {
    let bench = try ShellFixture.preservedFilms()
    #expect(try bench.shell.run("help", "query").output.contains("deleted:7d.., deleted:*"))
  }
}
