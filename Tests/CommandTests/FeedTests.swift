// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `feed`: every change of a store, for another program.
@Suite(.overlapping, .temporaryDirectory)
struct FeedTests {
  /// A line as a receiver reads it.
  private struct Line: Equatable {
    let operation: String
    let identifier: String
    let token: Int
    let position: String?
    let title: String?

    init(_ text: String) throws {
      let object = try object(text)
      operation = try #require(object["operation"] as? String)
      identifier = String(try #require(object["id"] as? String).split(separator: "/").suffix(2).joined(separator: "/"))
      token = try #require(object["token"] as? Int)
      position = object["position"] as? String
      title = (object["fields"] as? [String: Any])?["title"] as? String
    }
  }

  private func feed(_ bench: ShellFixture, _ options: String...) throws -> [Line] {
    let outcome = try bench.shell.run(["feed"] + options)
    #expect(outcome.code == (outcome.output.isEmpty ? 1 : 0) && outcome.errors.isEmpty, "\(outcome)")
    return try outcome.lines.map(Line.init)
  }

  @Test func `lines have the operation, the present row, the author and the preserved values`() throws {
    let bench = ShellFixture.empty()
    let model = #"""
      {"format": 1, "entities": [{"name": "Film", "attributes": [
        {"name": "slug", "type": "string", "options": ["unique", "preserveValueOnDeletion"]},
        {"name": "year", "type": "integer64", "isOptional": true}]}]}
      """#
    _ = try bench.directory.write(model, to: "model.json")
    try bench.importRecords(
      "{\"slug\": \"up\", \"year\": 2009}\n{\"slug\": \"cars\", \"year\": 2006}\n",
      options: ["--kind", "Film", "--key", "slug", "--author", "importer"])
    try bench.shell.run("set", "Film/p1", "year:=2010")
    try bench.shell.run("delete", "Film/p2")
    let lines = try bench.shell.run("feed", "--from", "0").lines.map(neutral)
    let stamps = try bench.shell.run("feed", "--from", "0").lines.map { try Line($0).position ?? "" }
    let common = #""author":"importer","timestamp":"TIME","updated":[]"#
    #expect(
      lines == [
        #"{"operation":"insert","id":"x-coredata://UUID/Film/p1","entity":"Film","token":1,"position":"\#(stamps[0])","#
          + common + #","fields":{"slug":"up","year":2010}}"#,
        #"{"operation":"insert","id":"x-coredata://UUID/Film/p2","entity":"Film","token":1,"position":"\#(stamps[1])","#
          + common + #","fields":null}"#,
        #"{"operation":"update","id":"x-coredata://UUID/Film/p1","entity":"Film","token":2,"position":"\#(stamps[2])","#
          + #""author":null,"timestamp":"TIME","updated":["year"],"fields":{"slug":"up","year":2010}}"#,
        #"{"operation":"delete","id":"x-coredata://UUID/Film/p2","entity":"Film","token":3,"position":"\#(stamps[3])","#
          + #""author":null,"timestamp":"TIME","updated":[],"fields":null,"tombstone":{"slug":"cars"}}"#,
      ])
    #expect(
      try bench.shell.run("feed", "--from", "0", "--format", "bulk").lines == [
        #"{"index":{"_index":"film","_id":"Film/p1","version":1,"version_type":"external_gte"}}"#,
        #"{"slug":"up","year":2010}"#,
        #"{"delete":{"_index":"film","_id":"Film/p2","version":1,"version_type":"external_gte"}}"#,
        #"{"index":{"_index":"film","_id":"Film/p1","version":2,"version_type":"external_gte"}}"#,
        #"{"slug":"up","year":2010}"#,
        #"{"delete":{"_index":"film","_id":"Film/p2","version":3,"version_type":"external_gte"}}"#,
      ])
    #expect(try feed(bench, "--from", "0", "--author", "importer").map(\.token) == [1, 1])
    #expect(try feed(bench, "--from", "null").map(\.identifier) == ["Film/p1"])
  }

  @Test func `a reader that stores the position of its last line gets every other line once`() throws {
    let bench = try ShellFixture()
    for year in 2001...2003 { try bench.shell.run("set", "Film/p1", "year:=\(year)") }
    try bench.shell.run("delete", "Film/p2", "Film/p3", "--yes")
    let all = try feed(bench, "--from", "0")
    #expect(all.count == 13)
    for (index, line) in all.enumerated() {
      let rest = try feed(bench, "--from", try #require(line.position))
      #expect(rest == Array(all[(index + 1)...]), "after \(line)")
    }
    let snapshot = try feed(bench, "--from", "null")
    #expect(snapshot.dropLast().allSatisfy { $0.position == nil })
    #expect(try feed(bench, "--from", try #require(snapshot.last?.position)).isEmpty)
    // One line at a time.
    var (position, found) = ("0", [Line]())
    while let line = try feed(bench, "--from", position, "-n", "1").first {
      found.append(line)
      position = try #require(line.position)
    }
    #expect(found == all)
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 30))
  func `a receiver that applies every line holds the rows of the store`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try ShellFixture(isIndexed: false)
    var rows: [Int64: String] = [:]
    func read() throws {
      for text in try bench.shell.run("feed", "--consumer", "mirror").lines {
        let line = try Line(text)
        let key = try #require(Int64(line.identifier.dropFirst("Film/p".count)))
        rows[key] = line.title
      }
    }
    for round in 0..<12 {
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let key = Int.random(in: 1...10, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0:
          let new = Films.additions(["New \(round)", "Other \(round)"])
          #expect(try bench.importRecords(new, options: ["--kind", "Film", "--again"]).code == 0)
        case 1: try bench.shell.run("set", "Film/p\(key)", "title=Title \(round)")
        default: try bench.shell.run("delete", "Film/p\(key)")
        }
      }
      try read()
      let statement = try Connection(path: bench.store, access: .readOnly)
        .statement("SELECT Z_PK, ZTITLE FROM ZFILM")
      var wanted: [Int64: String] = [:]
      while try statement.step() { wanted[statement.integer(at: 0)] = statement.text(at: 1) }
      #expect(rows == wanted, "seed \(seed), round \(round)")
    }
  }

  @Test func `a consumer's unread transactions outlive a purge, and its token moves by reading`() throws {
    let bench = try ShellFixture()
    #expect(try feed(bench, "--consumer", "mirror").count == 8)
    for year in 2001...2003 { try bench.shell.run("set", "Film/p1", "year:=\(year)") }
    try bench.shell.run("index")
    let purge = try bench.shell.run("history", "purge", "--before", "4")
    #expect(try object(purge.output)["heldBy"] as? String == "mirror")
    #expect(try feed(bench, "--consumer", "mirror").map(\.token) == [2, 3, 4])
    #expect(try feed(bench, "--consumer", "mirror").isEmpty)
    #expect(try object(try bench.shell.run("history", "purge", "--before", "4").output)["purged"] as? Int == 3)
    let expired = try bench.shell.run("feed", "--from", "1")
    #expect(expired.code == 6)
    #expect(expired.errors.hasPrefix("followspot: changes after transaction 1 are not in the history any more\n"))
  }

  @Test func `positions of another past and of the future are refused`() throws {
    let bench = try ShellFixture()
    try bench.shell.run("set", "Film/p1", "year:=2001")
    let position = try #require(try feed(bench, "--from", "1").first?.position)
    let copy = bench.directory.file("copy.store")
    try FileManager.default.copyItem(atPath: bench.store, toPath: copy)
    let last = try #require(position.split(separator: ":").last)
    let other = position.dropLast(last.count) + "1"
    for (wrong, message) in [
      (String(other), "the history has diverged: another transaction has the number 2 in this store"),
      ("9", "transaction 9 is not in the history; the newest one is 2"),
    ] {
      let outcome = try bench.shell.run("feed", "--from", wrong)
      #expect(outcome.code == 6, "\(outcome)")
      #expect(outcome.errors.hasPrefix("followspot: \(message)\n"), "\(outcome)")
    }
    let usage = try bench.shell.run("feed", "--from", "yesterday")
    #expect(usage.code == 2)
    #expect(usage.errors.hasPrefix("followspot: --from takes a token, the position of a line of the feed, or null"))
  }

  @Test func `a feed that follows prints each save of other processes, and ends with 0 at SIGTERM`() throws {
    let bench = try ShellFixture()
    let feed = try bench.shell.start(["feed", "--from", "1", "--follow"])
    for year in 2001...2005 { try bench.shell.run("set", "Film/p1", "year:=\(year)") }
    #expect(eventually { feed.output.split(separator: "\n").count == 5 }, "\(feed.output)")
    let outcome = feed.end()
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(try outcome.lines.map { try Line($0).token } == [2, 3, 4, 5, 6])
  }

  @Test func `a consumer does not move past lines that nobody read`() throws {
    let bench = try ShellFixture()
    #expect(try feed(bench, "--consumer", "mirror").count == 8)
    try bench.importRecords(Films.additions((0..<3_000).map { "Film \($0)" }), options: ["--kind", "Film"])
    let command = "'\(Shell.program)' feed --consumer mirror | head -n 1"
    let broken = try bench.shell.run(["-c", command], program: "/bin/sh")
    #expect(broken.lines.count == 1)
    #expect(try feed(bench, "--consumer", "mirror").count == 3_000)
  }

  @Test func `one feed at a time has a consumer, and another one is told who it is`() throws {
    let bench = try ShellFixture()
    let first = try bench.shell.start(["feed", "--consumer", "mirror", "--follow"])
    #expect(eventually { first.output.split(separator: "\n").count == 8 }, "\(first.errors)")
    let holder = "the consumer 'mirror' is locked by process \(first.pid) (feed, since "
    for words in [["feed", "--consumer", "mirror"], ["history", "consumers", "drop", "mirror"]] {
      let refused = try bench.shell.run(words)
      #expect(refused.code == 5 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors.hasPrefix("followspot: " + holder), "\(refused)")
    }
    // Other consumers, and feeds without one, are not in the way.
    #expect(try feed(bench, "--consumer", "other").count == 8)
    #expect(try feed(bench, "--from", "null").count == 8)
    #expect(first.end().code == 0)
    #expect(try feed(bench, "--consumer", "mirror").isEmpty)
    // A killed feed does not leave its lock behind.
    try bench.shell.run("set", "Film/p1", "year:=2001")
    let killed = try bench.shell.start(["feed", "--consumer", "mirror", "--follow"])
    #expect(eventually { killed.output.split(separator: "\n").count == 1 }, "\(killed.errors)")
    #expect(try bench.shell.run("feed", "--consumer", "mirror").code == 5)
    killed.signal(SIGKILL)
    _ = killed.wait()
    // The consumer moves after the line was printed.
    #expect(try feed(bench, "--consumer", "mirror").count <= 1)
    #expect(try bench.shell.run("history", "consumers", "drop", "mirror").code == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.store + ".consumers")
    #expect(left.filter { $0.contains("mirror") } == [])
  }

  @Test func `a feed or a consumer does not continue in a restored store`() throws {
    let bench = try ShellFixture()
    for year in 2001...2003 { try bench.shell.run("set", "Film/p1", "year:=\(year)") }
    let backup = bench.directory.file("backup.store")
    try Connection(path: bench.store, access: .readWrite).execute("VACUUM INTO '\(backup)'")
    try bench.shell.run("set", "Film/p1", "year:=2004")
    #expect(try feed(bench, "--consumer", "mirror", "--from", "4").map(\.token) == [5])
    let following = try bench.shell.start(["feed", "--from", "5", "--follow"])
    #expect(following.waitForError("", seconds: 1) || following.isRunning)
    usleep(500_000)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: bench.store + suffix) }
    try FileManager.default.removeItem(atPath: bench.store)
    try FileManager.default.copyItem(atPath: backup, toPath: bench.store)
    for title in ["Other", "Another"] { try bench.shell.run("set", "Film/p2", "title=\(title)") }
    let ended = following.wait()
    #expect(ended.code == 6 && ended.output.isEmpty, "\(ended)")
    let consumer = try bench.shell.run("feed", "--consumer", "mirror")
    #expect(consumer.code == 6 && consumer.output.isEmpty, "\(consumer)")
    // From the beginning it continues.
    #expect(try feed(bench, "--consumer", "mirror", "--from", "null").count == 8)
    try bench.shell.run("set", "Film/p1", "year:=2005")
    #expect(try feed(bench, "--consumer", "mirror").map(\.token) == [7])
  }

  @Test func `positions inside a purged transaction are refused`() throws {
    let bench = try ShellFixture()
    try bench.shell.run("set", "Film/p1", "year:=2001")
    try bench.shell.run("index")
    #expect(try bench.shell.run("history", "purge", "--before", "2").code == 0)
    let expired = try bench.shell.run("feed", "--from", "1:2")
    #expect(expired.code == 6, "\(expired)")
    #expect(expired.errors.hasPrefix("followspot: transaction 1 is not in the history any more\n"), "\(expired)")
  }

  @Test func `a consumer is registered before it has read a change, and its name and options are checked first`() throws
  {
    let bench = try ShellFixture()
    #expect(try feed(bench, "--consumer", "mirror", "--from", "1").isEmpty)
    try bench.shell.run("set", "Film/p1", "year:=2001")
    #expect(try feed(bench, "--consumer", "mirror").map(\.token) == [2])
    for (options, message) in [
      (["--consumer", "a/b"], "a consumer cannot be called 'a/b'"),
      (["--consumer", "mirror", "-n", "1"], "--consumer and -n cannot be combined"),
    ] {
      let outcome = try bench.shell.run(["feed"] + options)
      #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasPrefix("followspot: \(message)\n"), "\(outcome)")
    }
  }

  @Test func `a migration that changed values ends a feed, and one that only added does not`() throws {
    let bench = try ShellFixture()
    let grown = try bench.importRecords(
      #"{"title": "New", "isFavorite": false, "genres": [], "people": [], "studio": "Pixar"}"#,
      options: ["--kind", "Film"])
    #expect(grown.code == 0, "\(grown)")
    #expect(try feed(bench, "--from", "1").last?.title == "New")
    let model = try bench.shell.run("schema").output.replacingOccurrences(of: "integer64", with: "string")
    try bench.shell.succeed("migrate", try bench.directory.write(model, to: "model.json"))
    let ended = try bench.shell.run("feed", "--from", "1")
    #expect(ended.code == 6 && ended.output.isEmpty, "\(ended)")
    #expect(ended.errors.hasPrefix("followspot: the model was migrated after transaction 1, and"), "\(ended)")
  }

  @Test func `an attached database is fed and searched live like a store, one change at a time`() throws {
    let bench = ShellFixture.empty()
    let library = Shell(in: bench.directory, store: "library.sqlite")
    let connection = try Connection(path: bench.directory.file("library.sqlite"), access: .create)
    try connection.execute(
      "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books VALUES (1, 'Dune'), (2, 'Emma')")
    #expect(try library.run("attach", "--preserve", "title").code == 0)
    #expect(try library.run("index").code == 0)
    let feed = try library.start(["feed", "--from", "0", "--consumer", "mirror", "--follow"])
    let live = try library.start(["search", "*", "--live", "--fields", "@id,title"])
    func count(_ running: Shell.Running) -> Int { running.output.split(separator: "\n").count }
    #expect(eventually { count(live) == 2 }, "\(live.errors)")
    try connection.execute("INSERT INTO books VALUES (3, 'Ulysses')")
    #expect(eventually { count(feed) == 1 && count(live) == 3 }, "\(feed.errors)\(live.errors)")
    try connection.execute(
      "BEGIN; UPDATE books SET title = 'Dune Messiah' WHERE id = 1; DELETE FROM books WHERE id = 2; COMMIT")
    #expect(eventually { count(feed) == 3 && count(live) == 5 }, "\(feed.errors)\(live.errors)")
    let (fed, shown) = (feed.end(), live.end())
    #expect(fed.code == 0 && shown.code == 0, "\(fed)\(shown)")
    let lines = try fed.lines.map { line in
      let line = try object(line)
      let title = (line["fields"] as? [String: Any] ?? line["tombstone"] as? [String: Any])?["title"] as? String
      return "\(line["operation"] ?? "") \(title ?? "")"
    }
    #expect(lines == ["insert Ulysses", "update Dune Messiah", "delete Emma"])
    #expect(
      shown.lines.dropFirst(2).sorted() == [
        "+ books/3\tUlysses", "- books/2\tEmma", "~ books/1\tDune Messiah",
      ])
    #expect(try library.run("feed", "--consumer", "mirror").code == 1)
  }
}
