// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `log` and `diff A..B`: the history of the matches of a query.
@Suite(.overlapping, .temporaryDirectory)
struct LogDiffTests {
  private static let model = #"""
    {"format": 1, "entities": [{"name": "Film", "attributes": [
      {"name": "slug", "type": "string", "options": ["unique", "preserveValueOnDeletion"]},
      {"name": "title", "type": "string", "options": ["preserveValueOnDeletion"]},
      {"name": "year", "type": "integer64", "optional": true}]}]}
    """#

  /// A store whose history preserves slugs and titles.
  private func makeFilms(_ count: Int) throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(Self.model, to: "model.json")
    #expect(try bench.shell.run("migrate", model).code == 0)
    let lines = (1...count).map { #"{"slug": "film\#($0)", "title": "Film \#($0)", "year": \#(2000 + $0)}"# }
    #expect(
      try bench.importRecords(
        lines.joined(separator: "\n"), options: ["--kind", "Film", "--key", "slug", "--author", "importer"]
      ).code == 0)
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }

  private func lines(_ bench: ShellFixture, _ arguments: String...) throws -> [String] {
    let outcome = try bench.shell.run(arguments)
    #expect(outcome.code <= 1, "\(outcome)")
    return outcome.lines.map(neutral)
  }

  @Test func `log lists the transactions that changed the matches, newest first as text`() throws {
    let bench = try makeFilms(3)
    try bench.shell.run("set", "Film/p1", "year:=1999", "title=Story", "--author", "me")
    try bench.shell.run("set", "Film/p2", "title=Other", "--author", "me")
    try bench.shell.run("delete", "Film/p3")
    let inserted = try bench.newest() - 3
    #expect(
      try lines(bench, "log", "year:..2001") == [
        "transaction \(inserted + 1)  TIME by me", "  update  Film/p1  Story  (title, year)",
        "transaction \(inserted)  TIME by importer", "  insert  Film/p1  Story",
      ])
    let change = #"{"change":"insert","id":"x-coredata://UUID/Film/p1","title":"Story","updated":[]}"#
    #expect(
      try lines(bench, "log", "year:..2001", "--format", "ndjson", "-n", "1") == [
        #"{"number":\#(inserted),"timestamp":"TIME","author":"importer","changes":[\#(change)]}"#
      ])
    #expect(
      try lines(bench, "log", "*", "--author", "me", "--format", "tsv") == [
        "\(inserted + 1)\tTIME\tme\tupdate\tx-coredata://UUID/Film/p1\tStory\ttitle; year",
        "\(inserted + 2)\tTIME\tme\tupdate\tx-coredata://UUID/Film/p2\tOther\ttitle",
      ])
    #expect(
      try lines(bench, "log", "Film/p3") == [
        "transaction \(inserted + 3)  TIME", "  delete  Film/p3  Film 3",
        "transaction \(inserted)  TIME by importer", "  insert  Film/p3  Film 3",
      ])
    #expect(try lines(bench, "log", "*", "-n", "1").first == "transaction \(inserted + 2)  TIME by me")
    #expect(try lines(bench, "log", "*", "--after", "\(inserted + 1)").count == 2)
    let none = try bench.shell.run("log", "nothing")
    #expect(none.code == 1 && none.output.isEmpty)
    let unchanged = try bench.shell.run("log", "slug:film1", "--after", "\(inserted + 1)")
    #expect(unchanged.code == 1, "\(unchanged)")
    #expect(unchanged.errors == "followspot: no listed transaction changed 1 matching record\n")
    // What was purged is said.
    try bench.shell.run("index")
    #expect(try bench.shell.run("history", "purge", "--before", "\(inserted + 2)").code == 0)
    let purged = try bench.shell.run("log", "*")
    #expect(purged.lines.map(neutral).first == "transaction \(inserted + 2)  TIME by me", "\(purged)")
    #expect(purged.errors == "followspot: the history begins with transaction \(inserted + 2)\n")
  }

  @Test func `diff lists what the transactions of a range inserted, updated and deleted`() throws {
    let bench = try makeFilms(3)
    let start = try bench.newest()
    try bench.shell.run("set", "Film/p1", "year:=1999", "--author", "me")
    try bench.importRecords(
      #"{"slug": "new", "title": "New", "year": 1980}"#, options: ["--kind", "Film", "--key", "slug"])
    try bench.shell.run("set", "Film/p4", "year:=1981", "--author", "me")
    try bench.shell.run("delete", "Film/p3", "--author", "me")
    try bench.shell.run("delete", "Film/p4")
    let update = "~ Film/p1\tFilm 1\t\(start + 1)\tme\tyear"
    let delete = "- Film/p3\tFilm 3\t\(start + 4)\tme"
    #expect(try lines(bench, "diff", "*", "\(start)..") == [update, delete])
    #expect(try lines(bench, "diff", "*", "\(start)") == [update, delete])
    // Inserted in the range, deleted after it: the preserved values match.
    #expect(
      try lines(bench, "diff", "slug:new", "\(start)..\(start + 3)") == ["+ Film/p4\tNew\t\(start + 2)\t"])
    #expect(try lines(bench, "diff", "title:film", "\(start)..", "--author", "nobody") == [])
    // The year of a deleted record is not preserved.
    #expect(try lines(bench, "diff", "year:2003", "\(start)..") == [])
    #expect(try lines(bench, "diff", "Film/p3", "\(start)..") == [delete])
    #expect(
      try lines(bench, "diff", "title:film", "\(start)..", "--format", "ndjson").last
        == #"{"change":"delete","id":"x-coredata://UUID/Film/p3","title":"Film 3","updated":[],"#
        + #""transaction":\#(start + 4),"author":"me","transactions":1,"#
        + #""tombstone":{"slug":"film3","title":"Film 3"}}"#)
    #expect(try bench.shell.run("diff", "*", "\(start + 5)..").code == 0)
    for (range, code, message) in [
      ("99..", Int32(6), "transaction 99 is not in the history; the newest one is \(start + 5)"),
      ("..99", 6, "transaction 99 is not in the history; the newest one is \(start + 5)"),
      ("5..4", 2, "the range 5..4 ends before it begins"),
      ("a..b", 2, "diff takes a range of tokens after the query"),
    ] {
      let outcome = try bench.shell.run("diff", "*", range)
      #expect(outcome.code == code && outcome.errors.hasPrefix("followspot: \(message)\n"), "\(outcome)")
    }
    try bench.shell.run("index")
    #expect(try bench.shell.run("history", "purge", "--before", "\(start + 2)").code == 0)
    let purged = try bench.shell.run("diff", "*", "\(start)..")
    #expect(purged.code == 6, "\(purged)")
    #expect(purged.errors.hasSuffix("hint: the range \(start + 1).. can be compared\n"), "\(purged)")
  }

  /// A change of the history as SQL reads it.
  private struct Change {
    let transaction: Int
    let author: String
    let kind: Int
    let key: Int
  }

  private func history(_ bench: ShellFixture) throws -> [Change] {
    let statement = try Connection(path: bench.store, access: .readOnly).statement(
      """
      SELECT t.Z_PK, s.ZNAME, c.ZCHANGETYPE, c.ZENTITYPK FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
      LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS ORDER BY c.Z_PK
      """)
    var changes: [Change] = []
    while try statement.step() {
      changes.append(
        Change(
          transaction: Int(statement.integer(at: 0)), author: statement.text(at: 1),
          kind: Int(statement.integer(at: 2)),
          key: Int(statement.integer(at: 3))))
    }
    return changes
  }

  private func keys(_ bench: ShellFixture, where condition: String) throws -> Set<Int> {
    let statement = try Connection(path: bench.store, access: .readOnly).statement(
      "SELECT Z_PK FROM ZFILM WHERE \(condition)")
    var keys: Set<Int> = []
    while try statement.step() { keys.insert(Int(statement.integer(at: 0))) }
    return keys
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 30))
  func `log and diff agree with the tables of the history`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try makeFilms(8)
    let start = try bench.newest()
    var tombstones: [Int: String] = [:]
    for round in 1...25 {
      let author = Bool.random(using: &generator) ? "one" : "two"
      let living = try keys(bench, where: "1").sorted()
      let key = living.randomElement(using: &generator) ?? 1
      switch Int.random(in: 0...4, using: &generator) {
      case 0:
        let title = Bool.random(using: &generator) ? "Film" : "Show"
        try bench.importRecords(
          #"{"slug": "r\#(round)", "title": "\#(title) r\#(round)", "year": 1990}"#,
          options: ["--kind", "Film", "--key", "slug", "--author", author])
      case 1, 2:
        let title = Bool.random(using: &generator) ? "Film" : "Show"
        try bench.shell.run("set", "Film/p\(key)", "title=\(title) \(round)", "--author", author)
      case 3: try bench.shell.run("set", "Film/p\(key)", "year:=\(1900 + round)", "--author", author)
      default:
        let titled = try keys(bench, where: "Z_PK = \(key) AND ZTITLE LIKE 'Film%'")
        if try bench.shell.run("delete", "Film/p\(key)", "--author", author).code == 0 {
          tombstones[key] = titled.isEmpty ? "Show" : "Film"
        }
      }
    }
    if Bool.random(using: &generator) { try bench.shell.run("index") }
    let changes = try history(bench)
    let newest = try bench.newest()
    let hits = try keys(bench, where: "ZTITLE LIKE 'Film%'")

    let logged = try bench.shell.run("log", "title:film", "--format", "tsv").lines.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      return "\(cells[0]) \(cells[2]) \(cells[3]) \(cells[4].split(separator: "/").last ?? "")"
    }
    let names = ["insert", "update", "delete"]
    #expect(
      logged
        == changes.filter { hits.contains($0.key) }.map {
          "\($0.transaction) \($0.author) \(names[$0.kind]) p\($0.key)"
        },
      "seed \(seed)")

    let universe = hits.union(tombstones.filter { $0.value == "Film" }.keys)
    for _ in 0..<6 {
      let from = Int.random(in: start...newest, using: &generator)
      let to = Int.random(in: from...newest, using: &generator)
      let author = [nil, "one", "two"].randomElement(using: &generator) ?? nil
      // All authors decide whether a record exists; the changes of one author are listed.
      let inRange = changes.filter { $0.transaction > from && $0.transaction <= to && universe.contains($0.key) }
      let wanted = Dictionary(grouping: inRange, by: \.key).compactMap { key, all -> String? in
        let selected = all.filter { author == nil || $0.author == author }
        guard let first = all.first, let last = all.last, let newest = selected.last else { return nil }
        func isSelected(_ transaction: Int) -> Bool { selected.contains { $0.transaction == transaction } }
        switch (first.kind, last.kind) {
        case (0, 2): return nil
        case (0, _) where isSelected(first.transaction): return "insert p\(key) \(first.transaction)"
        case (_, 2): return isSelected(last.transaction) ? "delete p\(key) \(last.transaction)" : nil
        default: return "update p\(key) \(newest.transaction)"
        }
      }
      let outcome = try bench.shell.run(
        ["diff", "title:film", "\(from)..\(to)", "--format", "tsv"] + (author.map { ["--author", $0] } ?? []))
      let printed = outcome.lines.map { line in
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        return "\(cells[0]) \(cells[1].split(separator: "/").last ?? "") \(cells[3])"
      }
      #expect(Set(printed) == Set(wanted), "seed \(seed) \(from)..\(to) \(author ?? "")\n\(outcome)")
      #expect(printed.count == wanted.count && outcome.code == (wanted.isEmpty ? 0 : 1))
    }
  }

  @Test func `the changes of an attached database are grouped, and have the author that the writer gave`() throws {
    do {
      let bench = ShellFixture.empty()
      try Connection(path: bench.store, access: .create).execute(
        "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books VALUES (1, 'Excession')")
      #expect(try bench.shell.run("attach", "--preserve", "title").code == 0)
      #expect(try bench.shell.run("index").code == 0)
      let start = try bench.newest()
      try bench.sql("INSERT INTO books VALUES (2, 'Matter'), (3, 'Surface Detail')")
      try bench.sql("DELETE FROM books WHERE id = 1")
      #expect(
        try lines(bench, "log", "matter OR surface") == [
          "changes \(start + 1) to \(start + 2)  TIME", "  insert  books/2  Matter",
          "  insert  books/3  Surface Detail",
        ])
      #expect(
        try lines(bench, "diff", "*", "\(start)..") == [
          "+ books/2\tMatter\t\(start + 1)\t", "+ books/3\tSurface Detail\t\(start + 2)\t",
          "- books/1\tExcession\t\(start + 3)\t",
        ])
      #expect(try lines(bench, "diff", "title:excession", "\(start)..").count == 1)
    }
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute("CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT)")
    #expect(try bench.shell.run("index").code == 0)
    for arguments in [["log", "*"], ["diff", "*", "0.."]] {
      let outcome = try bench.shell.run(arguments)
      #expect(outcome.code == 2 && outcome.errors.contains("keeps no history of its changes\nhint: followspot attach"))
    }
  }

  @Test func `the net effect counts all authors, and lists the changes of one`() throws {
    let bench = ShellFixture.empty()
    try bench.importRecords(
      "{\"slug\": \"a\", \"title\": \"Up\"}\n{\"slug\": \"b\", \"title\": \"Coco\"}\n",
      options: ["--kind", "Film", "--key", "slug", "--author", "importer"])
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("delete", "Film/p1", "--author", "bob").code == 0)
    #expect(try lines(bench, "diff", "*", "0..", "--author", "importer") == ["+ Film/p2\tCoco\t1\timporter"])
    #expect(try lines(bench, "diff", "*", "0..", "--author", "bob").isEmpty)
    #expect(try lines(bench, "diff", "*", "1..", "--author", "bob") == ["- Film/p1\ta\t2\tbob"])
  }
}
