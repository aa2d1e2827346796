// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `diff QUERY -- COMMAND`: the exact difference of a result before and after a command.
@Suite(.overlapping, .temporaryDirectory)
struct CommandDiffTests {
  private func diff(_ bench: ShellFixture, _ options: [String], _ command: String...) throws -> Shell.Outcome {
    try bench.shell.run(["diff"] + options + ["--"] + command)
  }

  @Test func `an import is compared by records, values, transactions and authors`() throws {
    let bench = try ShellFixture(#"{"slug": "up", "title": "Up", "year": 2009}"# + "\n", key: "slug")
    let file = try bench.directory.write(
      #"{"slug": "up", "title": "Up", "year": 2010}"# + "\n" + #"{"slug": "coco", "title": "Coco", "year": 2017}"#,
      to: "next.jsonl")
    let command = [Shell.program, "import", file, "--kind", "Film", "--key", "slug", "--author", "importer"]
    let outcome = try bench.shell.run(["diff", "year:2009..", "--author", "importer", "--"] + command)
    #expect(outcome.code == 1, "\(outcome)")
    #expect(outcome.lines == ["+ Film/p2\tCoco\t2\timporter", "~ Film/p1\tUp\t2\timporter", "    year: 2009 -> 2010"])
    // The command's own output goes to standard error.
    #expect(outcome.errors.contains(#"{"token":2,"inserted":1,"updated":1"#), "\(outcome)")
    let again = try bench.shell.run(["diff", "year:2009..", "--author", "importer", "--"] + command)
    #expect(again.code == 0 && again.output.isEmpty, "\(again)")
    let changed = try diff(bench, ["*", "--format", "ndjson"], Shell.program, "set", "Film/p1", "year:=2011")
    #expect(
      changed.lines.map(neutral) == [
        #"{"change":"change","id":"x-coredata://UUID/Film/p1","title":"Up","old":{"year":2010},"new":{"year":2011},"#
          + #""transaction":3,"author":null,"during":true}"#
      ])
    let left = try diff(bench, ["year:2017", "--json"], Shell.program, "delete", "Film/p2", "--author", "me")
    #expect(
      neutral(left.output)
        == #"{"format":2,"query":"year:2017","from":3,"to":4,"changes":[{"change":"leave","#
        + #""id":"x-coredata://UUID/Film/p2","title":"Coco","old":{"slug":"coco","title":"Coco","year":2017},"new":null,"#
        + #""transaction":4,"author":"me","during":true}]}"# + "\n")
  }

  @Test func `with an author, changes of others are marked and do not count`() throws {
    let bench = try ShellFixture()
    let script = """
      '\(Shell.program)' set Film/p1 year:=1 --author me; '\(Shell.program)' set Film/p2 year:=2 --author other
      """
    let both = try diff(bench, ["*", "--author", "me"], "sh", "-c", script)
    #expect(both.code == 1)
    #expect(
      both.lines == [
        "~ Film/p1\tToy Story\t2\tme", "    year: 1995 -> 1", "~ Film/p2\tToy Story 2\t3\tother\tduring",
        "    year: 1999 -> 2",
      ])
    let other = try diff(
      bench, ["*", "--author", "me"], Shell.program, "set", "Film/p2", "year:=3", "--author", "other")
    #expect(other.code == 0 && other.lines.count == 2, "\(other)")
    let tsv = try diff(bench, ["*", "--format", "tsv"], Shell.program, "set", "Film/p2", "year:=4", "title=T")
    #expect(tsv.lines.map(neutral) == ["change\tx-coredata://UUID/Film/p2\tT\t5\t\ttitle; year"])
  }

  @Test(arguments: Rounds.seeds(1, full: 2, long: 20))
  func `the difference equals that of the rows before and after`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try ShellFixture(
      Films.lines((1...30).map { "Film \($0)" }).replacing("}", with: #", "year": 1}"#))
    func rows() throws -> [Int64: String] {
      let statement = try Connection(path: bench.store, access: .readOnly).statement(
        "SELECT Z_PK, ZTITLE, ZYEAR FROM ZFILM WHERE ZYEAR BETWEEN 1 AND 4")
      var rows: [Int64: String] = [:]
      while try statement.step() {
        rows[statement.integer(at: 0)] = "\(statement.text(at: 1)) \(statement.integer(at: 2))"
      }
      return rows
    }
    for round in 1...4 {
      let before = try rows()
      let commands = (1...6).map { index -> String in
        let key = Int.random(in: 1...36, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: return "set Film/p\(key) year:=\(Int.random(in: 1...6, using: &generator))"
        case 1: return "set Film/p\(key) 'title=Title \(round) \(index)'"
        case 2: return "delete Film/p\(key)"
        default: return "import new\(round).jsonl --kind Film --again"
        }
      }
      _ = try bench.directory.write(#"{"title": "New \#(round)", "year": 2}"#, to: "new\(round).jsonl")
      let script = commands.map { "'\(Shell.program)' \($0)" }.joined(separator: "; ") + "; true"
      let outcome = try diff(bench, ["year:1..4", "--format", "tsv"], "sh", "-c", script)
      let after = try rows()
      let wanted = Set(before.keys).union(after.keys).compactMap { key -> String? in
        switch (before[key], after[key]) {
        case (nil, _): "enter p\(key)"
        case (_, nil): "leave p\(key)"
        case (let old, let new): old == new ? nil : "change p\(key)"
        }
      }
      let printed = outcome.lines.map { line in
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        return "\(cells[0]) \(cells[1].split(separator: "/").last ?? "")"
      }
      #expect(printed.sorted() == wanted.sorted(), "seed \(seed)\n\(commands)\n\(outcome)")
      #expect(outcome.code == (wanted.isEmpty ? 0 : 1))
    }
  }

  private static let sqlite = "/usr/bin/sqlite3"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: sqlite), "there is no \(sqlite)"))
  func `any writer of an attached database can be the command`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors);
      INSERT INTO authors VALUES (1, 'Banks'), (2, 'Le Guin');
      INSERT INTO books VALUES (1, 'Excession', 1), (2, 'Matter', 1)
      """)
    for isAttached in [false, true] {
      if isAttached { #expect(try bench.shell.run("attach").code == 0) }
      #expect(try bench.shell.run("index").code == 0)
      let start = isAttached ? try bench.newest() : 0
      let sql = """
        UPDATE books SET title = title || ' again' WHERE id = 1; UPDATE books SET author_id = 3 - author_id WHERE id = 2
        """
      let outcome = try diff(bench, ["kind:books"], Self.sqlite, bench.store, sql)
      #expect(outcome.code == 1, "\(outcome)")
      let title = isAttached ? "Excession again" : "Excession"
      let (first, second) = isAttached ? ("\(start + 1)", "\(start + 2)") : ("", "")
      let people = ["authors/1", "authors/2"]
      let names = isAttached ? people.reversed() : people
      #expect(
        outcome.lines.map(neutral) == [
          "~ books/1\t\(title) again\t\(first)\t", "    title: \(title) -> \(title) again",
          "~ books/2\tMatter\t\(second)\t", "    author_id: \(names[0].suffix(1)) -> \(names[1].suffix(1))",
          "    author: \(names[0]) -> \(names[1])",
        ], "\(outcome)")
      let isTold = outcome.errors.contains("the history between the two results is not known")
      #expect(isTold == !isAttached, "\(outcome)")
    }
  }

  @Test func `a command that fails, does not exist or saves nothing is told apart`() throws {
    let bench = try ShellFixture()
    let nothing = try diff(bench, ["*"], "true")
    #expect(nothing.code == 0 && nothing.output.isEmpty && nothing.errors.isEmpty, "\(nothing)")
    let failed = try diff(bench, ["*"], "sh", "-c", "'\(Shell.program)' delete Film/p1; exit 3")
    #expect(failed.code == 2)
    #expect(failed.output == "- Film/p1\tToy Story\t2\t\n")
    #expect(failed.errors.hasSuffix("followspot: the command sh ended with exit code 3\n"), "\(failed)")
    let killed = try diff(bench, ["*"], "sh", "-c", "kill -9 $$")
    #expect(killed.code == 2 && killed.errors == "followspot: the command sh was ended by signal 9\n", "\(killed)")
    let missing = try diff(bench, ["*"], "nonesuch")
    #expect(missing.code == 2)
    #expect(missing.errors == "followspot: nonesuch cannot be started: No such file or directory\n")
    for (options, message) in [
      (["*"], "diff takes a command after --"),
      (["Film/p1"], "diff with a command takes a query, not identifiers"),
      ([], "diff takes a query or an identifier"),
    ] {
      let command = message.hasSuffix("after --") ? [] : ["true"]
      let outcome = try bench.shell.run(["diff"] + options + ["--"] + command)
      #expect(outcome.code == 2 && outcome.errors.hasPrefix("followspot: \(message)\n"), "\(outcome)")
    }
  }

  @Test func `a command that never ends is ended with all of its processes`() throws {
    let bench = try ShellFixture()
    let script = "echo $$ > pids; (trap '' TERM; sleep 1000) & echo $! >> pids; sleep 1000"
    let outcome = try diff(bench, ["*", "--timeout", "300ms"], "sh", "-c", script)
    #expect(outcome.code == 2)
    #expect(outcome.errors == "followspot: the command sh timed out\n", "\(outcome)")
    let pids = try String(contentsOfFile: bench.directory.file("pids"), encoding: .utf8).split(separator: "\n")
    #expect(pids.count == 2)
    for pid in pids { #expect(eventually { !isAlive(String(pid)) }, "\(pid)") }
  }

  /// Whether a process runs; a zombie does not.
  private func isAlive(_ pid: String) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return status.split(separator: ") ").last?.first != "Z"
  }

  @Test(.enabled(if: Terminal.isThere, "there is no \(Terminal.script)"))
  func `on a terminal, the command reads what is typed, and Ctrl-C ends it`() throws {
    let bench = try ShellFixture()
    var shell = bench.shell
    shell.environment.merge(["FOLLOWSPOT_PAGER": "", "NO_COLOR": "1"]) { $1 }
    func typed(_ name: String, _ script: String, _ keys: String, shows text: String) throws {
      let typed = try TypedShell("'\(Shell.program)' diff '*' -- sh -c '\(script)'", name: name, shell: shell)
      defer { typed.end() }
      #expect(eventually { typed.shown.contains("ready") }, "\(typed.shown)")
      try typed.type(keys)
      #expect(eventually { typed.shown.contains(text) }, "\(typed.shown)")
    }
    let delete = "echo ready; read key; exec \(Shell.program) delete Film/$key"
    try typed("read", delete, "p1\n", shows: "- Film/p1  Toy Story  transaction 2\r\n")
    try typed("interrupted", "echo ready; sleep 1000", "\u{3}", shows: "the command sh was ended by signal 2\r\n")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a stop signal is passed to the command`(number: Int32) throws {
    let bench = try ShellFixture()
    let script = "trap 'echo got > got; exit 0' INT TERM; echo ready > ready; while :; do sleep 0.05; done"
    let running = try bench.shell.start(["diff", "*", "--", "sh", "-c", script])
    #expect(eventually { FileManager.default.fileExists(atPath: bench.directory.file("ready")) })
    let outcome = running.end(number)
    #expect(outcome.code == 128 + number, "\(outcome)")
    #expect(FileManager.default.fileExists(atPath: bench.directory.file("got")))
  }
}
