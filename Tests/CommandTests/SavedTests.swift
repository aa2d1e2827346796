// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `saved`: searches that are kept beside the index, and their events.
@Suite(.overlapping, .temporaryDirectory)
struct SavedTests {
  private func add(_ bench: ShellFixture, _ arguments: String...) throws {
    let outcome = try bench.shell.run(["saved", "add"] + arguments)
    try #require(outcome.code == 0, "\(outcome)")
  }

  /// The lines of a watch that ends when it is current.
  private func once(_ bench: ShellFixture, _ arguments: String...) throws -> [String] {
    let outcome = try bench.shell.run(["saved", "watch", "--once"] + arguments)
    #expect(outcome.code == (outcome.output.isEmpty ? 1 : 0) && outcome.errors.isEmpty, "\(outcome)")
    return outcome.lines
  }

  private func watch(_ bench: ShellFixture, _ arguments: String...) throws -> Shell.Running {
    let running = try bench.shell.start(["saved", "watch"] + arguments)
    try #require(running.waitForError("watching '"), "\(running.errors)")
    return running
  }

  // MARK: Definitions

  @Test(arguments: [
    ("story", "tests only changed records"),
    ("year:2000.. -genres:comedy \"a robot\" OR wal* title:story", "tests only changed records"),
    ("released:2001..2010", "tests only changed records"),
    ("released:30d..", "is evaluated anew at each save, because it depends on the clock"),
    ("NOT (released:last-year OR up)", "is evaluated anew at each save, because it depends on the clock"),
    ("author:me story", "is evaluated anew at each save, because it depends on the history"),
    ("up OR tx:>3 released:today", "is evaluated anew at each save, because it depends on the clock and the history"),
  ])
  func `add says how a search is watched`(_ query: String, _ sentence: String) throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("saved", "add", "mine", query).output == "mine: \(sentence)\n")
    #expect(
      try bench.shell.run("saved", "list").output == "mine\t\(query)\t\(sentence)\n")
    let ranked = try bench.shell.run("saved", "add", "best", query, "-n", "3")
    #expect(ranked.output.hasPrefix("best: is evaluated anew at each save, because it depends on "))
    #expect(ranked.output.hasSuffix("the ranking\n"))
  }

  @Test func `searches of one name in two index directories are two consumers`() throws {
    let bench = try ShellFixture()
    let other = ["--index", bench.index + "-other"]
    #expect(try bench.shell.run(["index"] + other).code == 0)
    func consumers() throws -> [String] {
      try bench.shell.run("history", "consumers").output.split(whereSeparator: \.isWhitespace).map(String.init)
        .filter { $0.hasPrefix("saved:") }.sorted()
    }
    for options in [[], other] {
      #expect(try bench.shell.run(["saved", "add", "stories", "story"] + options).code == 0)
      #expect(try bench.shell.run(["saved", "watch", "--once", "stories"] + options).code <= 1)
    }
    let both = try consumers()
    #expect(both.count == 2 && both[0] == "saved:stories" && both[1].hasPrefix("saved:stories@"), "\(both)")
    #expect(try bench.shell.run(["saved", "remove", "stories"] + other).code == 0)
    let left = try consumers()
    #expect(left == ["saved:stories"])
  }

  @Test func `list prints every definition, and remove forgets one with its state and consumer`() throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("saved", "list").code == 1)
    try add(bench, "stories", "story", "--kind", "film")
    try add(bench, "new", "released:30d..", "-n", "5")
    #expect(
      neutral(try bench.shell.run("saved", "list", "--json").output)
        == #"{"format":2,"saved":[{"name":"new","query":"released:30d..","kinds":[],"limit":5,"created":"TIME","#
        + #""evaluation":"anew","dependsOn":["clock","ranking"],"watcher":null,"error":null},{"name":"stories","#
        + #""query":"story","kinds":["film"],"limit":null,"created":"TIME","evaluation":"changes","dependsOn":[],"#
        + #""watcher":null,"error":null}]}"# + "\n")
    #expect(try once(bench, "stories").isEmpty)
    #expect(try bench.shell.run("history", "consumers").output.contains("saved:stories  at 1"))
    #expect(try bench.shell.run("saved", "remove", "stories").code == 0)
    #expect(try !bench.shell.run("history", "consumers").output.contains("saved:"))
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.index).filter { $0.hasPrefix("saved") }
    #expect(Set(files) == ["saved.json", "saved.lock"])
    #expect(try bench.shell.run("saved", "list").lines.count == 1)
  }

  @Test(arguments: [
    (["add", "a/b", "up"], 2, "a saved search cannot be called 'a/b'"),
    (["add", "-x", "up"], 2, "a saved search cannot be called '-x'"),
    (["add", "up"], 2, "saved add takes a name and a query"),
    (["add", "stories", "up"], 2, "there is a saved search 'stories' already"),
    (["add", "x", "foo:1"], 2, "no field is named 'foo'"),
    (
      ["add", "x", "deleted:7d..", "--kind", "Film"], 2,
      "deleted finds deleted records, which a saved search does not watch"
    ),
    (["add", "x", "(up"], 2, "this parenthesis is not closed"),
    (["add", "x", "up", "--kind", "Book"], 2, "no kind is named 'Book'"),
    (["run", "storys"], 2, "there is no saved search 'storys'"), (["watch"], 2, "saved watch takes names"),
    (["watch", "x"], 2, "there is no saved search 'x'"), (["remove", "x"], 2, "there is no saved search 'x'"),
    (["watch", "stories", "--exec", "cat", "--format", "text"], 2, "--exec and --format cannot be combined"),
    (["watch", "stories", "--json"], 2, "saved watch prints text, ndjson"), (["rename"], 2, "saved has no subcommand"),
    (["list", "--initial"], 2, "saved list does not take --initial"),
  ])
  func `bad names, queries and options are refused`(_ arguments: [String], _ code: Int, _ message: String) throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "story")
    let outcome = try bench.shell.run(["saved"] + arguments)
    #expect(outcome.code == code && outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.errors.contains("\nhint: ") || arguments.contains { $0.hasPrefix("--") }, "\(outcome)")
    #expect(try bench.shell.run("saved", "list").lines.count == 1)
  }

  @Test func `run prints what search prints for the query, without widening and corrections`() throws {
    let bench = try ShellFixture()
    try add(bench, "robots", "toy", "cowboy", "-collector")
    for options in [[], ["--format", "json"], ["--fields", "title,year", "--sort", "year:desc"], ["-n", "1"]] {
      let wanted = try bench.shell.run(["search", "--all"] + options + ["toy", "cowboy", "-collector"])
      let found = try bench.shell.run(["saved", "run", "robots"] + options)
      #expect((found.code, found.output, found.errors) == (wanted.code, wanted.output, wanted.errors))
    }
    try add(bench, "typo", "toyy")
    #expect(try bench.shell.run("saved", "run", "typo").code == 1)
  }

  @Test func `definitions survive a rebuild and a rollback, and names are completed`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "story")
    try add(bench, "favorites", "is:favorite")
    #expect(try once(bench, "stories", "--initial").count == 3)
    #expect(try bench.shell.run("rebuild").code == 0)
    try bench.shell.run("set", "Film/p4", "title=Up story")
    #expect(try once(bench, "stories") == ["+ 2.4/Film/p4\tUp story"])
    #expect(try bench.shell.run("rollback").code == 0)
    try bench.shell.run("set", "Film/p4", "title=Up")
    #expect(try once(bench, "stories") == ["- 3.5/Film/p4\tUp"])
    func completed(_ words: String...) throws -> [String] {
      let script =
        "eval \"$(\"$0\" completion bash)\"; compopt() { :; }; COMP_LINE=\"$1\"; COMP_POINT=${#1}; "
        + "_followspot followspot; printf '%s\\n' \"${COMPREPLY[@]}\""
      var shell = bench.shell
      shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
      return try shell.run(["-c", script, Shell.program, words.joined(separator: " ")], program: "/bin/bash").lines
    }
    #expect(try completed("followspot saved watch s") == ["stories"])
    #expect(try completed("followspot saved run ") == ["favorites", "stories"])
    #expect(try completed("followspot saved add x is:") == ["isFavorite"])
    #expect(try completed("followspot saved r") == ["remove", "run"])
  }

  // MARK: Events

  @Test(arguments: [true, false])
  func `records that enter, change and leave the result are events`(_ isFollowed: Bool) throws {
    let bench = try ShellFixture()
    let follower = isFollowed ? try bench.follow() : nil
    try add(bench, "stories", "title:story")
    try add(bench, "late", "year:2009..", "-n", "2", "--kind", "Film")
    let running = try watch(bench, "stories", "late")
    func expect(_ count: Int) {
      #expect(eventually { running.output.split(separator: "\n").count == count }, "\(running.output)")
    }
    try bench.shell.run("set", "Film/p4", "title=Up story", "--author", "me")
    expect(2)
    try bench.shell.run("set", "Film/p4", "year:=2010")
    expect(4)
    try bench.shell.run("set", "Film/p5", "year:=2001")
    try bench.shell.run("delete", "Film/p1")
    expect(5)
    try bench.shell.run("set", "Film/p4", "title=Up", "year:=2000")
    expect(7)
    let outcome = running.end(within: 1)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      outcome.lines == [
        "+ stories\t2.1/Film/p4\tUp story", "~ late\t2.1/Film/p4\tUp story", "~ stories\t3.2/Film/p4\tUp story",
        "~ late\t3.2/Film/p4\tUp story", "- stories\t5.3/Film/p1\tToy Story", "- stories\t6.4/Film/p4\tUp",
        "- late\t6.3/Film/p4\tUp",
      ])
    #expect(
      outcome.errors.split(separator: "\n") == [
        "followspot: watching 'stories' from transaction 1, 3 records; it tests only changed records",
        "followspot: watching 'late' from transaction 1, 2 records; "
          + "it is evaluated anew at each save, because it depends on the ranking",
      ])
    if let follower { bench.stop(follower) }
  }

  @Test func `lines of JSON have the identifier, the author and the present values`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "title:story")
    #expect(try once(bench, "stories").isEmpty)
    try bench.shell.run("set", "Film/p3", "title=Story", "--author", "me")
    try bench.shell.run("delete", "Film/p1")
    func common(_ number: Int, _ key: Int, _ author: String, _ title: String) -> String {
      #""identifier":"3.\#(number)/Film/p\#(key)","number":\#(number),"search":"stories","token":3,"#
        + #""author":\#(author),"id":"x-coredata://UUID/Film/p\#(key)","entity":"Film","title":"\#(title)","fields":"#
    }
    let lines = try once(bench, "stories", "--format", "ndjson")
    #expect(
      lines.map(neutral) == [
        #"{"event":"leave","# + common(1, 1, "null", "Toy Story") + "null}",
        #"{"event":"enter","# + common(2, 3, #""me""#, "Story")
          + #"{"title":"Story","year":2001,"rating":8.1,"released":"2001-11-02","isFavorite":false,"#
          + #""genres":["Animated"],"people":[{"name":"Pete Docter","role":"Director"}],"plot":null}}"#,
      ])
  }

  @Test func `a replaced search gives the differences of the two results`() throws {
    let bench = try ShellFixture()
    try add(bench, "mine", "year:1995")
    #expect(try once(bench, "mine", "--initial").count == 2)
    try add(bench, "mine", "title:story", "--replace")
    #expect(
      try once(bench, "mine") == [
        "+ 1.3/Film/p2\tToy Story 2", "+ 1.4/Film/p7\tThe C++ Story", "- 1.5/Film/p8\tThe Seed",
      ])
  }

  @Test func `only one process watches a search`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "story")
    let running = try watch(bench, "stories")
    for arguments in [["watch", "stories"], ["remove", "stories"], ["add", "stories", "up", "--replace"]] {
      let outcome = try bench.shell.run(["saved"] + arguments)
      #expect(outcome.code == 5, "\(outcome)")
      #expect(
        outcome.errors.hasPrefix(
          "followspot: the saved search 'stories' is locked by process \(running.pid) (watching"))
    }
    let listed = try bench.shell.run("saved", "list", "--format", "ndjson")
    #expect(try object(listed.output)["watcher"] as? Int == Int(running.pid))
    #expect(running.end(SIGINT, within: 1).code == 0)
    #expect(try bench.shell.run("saved", "remove", "stories").code == 0)
  }

  @Test func `a search that depends on the clock changes without a save`() throws {
    let bench = try ShellFixture()
    try add(bench, "out", "released:2020..now")
    let running = try watch(bench, "out", "--every", "100ms")
    let time = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3))
    try bench.shell.run("set", "Film/p4", "released=\(time)")
    #expect(running.output.isEmpty)
    #expect(eventually { running.output == "+ 2.1/Film/p4\tUp\n" }, "\(running.output)")
    #expect(running.end(within: 1).code == 0)
  }

  // MARK: Commands

  @Test func `a command that fails gets the same events again`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "title:story")
    let running = try watch(bench, "stories", "--exec", "tee -a \(bench.directory.file("log")) | wc -l; test -e ok")
    try bench.shell.run("set", "Film/p4", "title=Up story")
    #expect(running.waitForError("the command failed with exit code 1; its events will be passed to it again"))
    try bench.shell.run("set", "Film/p5", "title=Other story")
    #expect(eventually { running.output.split(separator: "\n").count >= 2 })
    _ = try bench.directory.write("", to: "ok")
    func lines() throws -> [String] {
      try String(contentsOfFile: bench.directory.file("log"), encoding: .utf8).split(separator: "\n").map(String.init)
    }
    #expect(try eventually { try lines().last?.contains("\"identifier\":\"3.2/Film/p5\"") == true })
    let outcome = running.end(within: 1)
    #expect(outcome.code == 0, "\(outcome)")
    let all = try lines()
    #expect(all.count >= 3 && Set(all.dropLast()).count == 1, "\(all)")
    #expect(all[0].contains("\"identifier\":\"2.1/Film/p4\""))
    #expect(Set(outcome.lines) == ["1"])
  }

  @Test func `a command that never ends is ended with its group, and SIGTERM does not wait for it`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "title:story")
    let file = bench.directory.file("pid")
    let command = "trap '' TERM; sleep 1000 & echo $! > \(file); wait; sleep 1000"
    func isGone() throws -> Bool {
      let pid = try #require(Int32(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
      return kill(pid, 0) != 0
    }
    try bench.shell.run("set", "Film/p4", "title=Up story")
    let slow = try bench.shell.run(
      "saved", "watch", "stories", "--initial", "--once", "--exec", command, "--timeout", "200ms")
    #expect(slow.code == 2, "\(slow)")
    #expect(
      slow.errors.hasPrefix("followspot: the command was ended after 0.2 s; its events will be passed to it again"))
    #expect(try eventually { try isGone() })
    try FileManager.default.removeItem(atPath: file)
    let running = try bench.shell.start(["saved", "watch", "stories", "--exec", command])
    #expect(
      eventually {
        FileManager.default.contents(atPath: file)?.isEmpty == false
      })
    let outcome = running.end(within: 1)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(try eventually { try isGone() })
    #expect(try once(bench, "stories").count == 4)
  }

  // MARK: What goes wrong

  @Test func `a search whose field is gone is named, and the others go on`() throws {
    let bench = try ShellFixture()
    try add(bench, "late", "year:2005..")
    try add(bench, "stories", "title:story")
    #expect(try once(bench, "late", "stories").isEmpty)
    let definition = #"{"entities": {"Film": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]}}}"#
    let path = try bench.directory.write(definition, to: "definition.json")
    #expect(try bench.shell.run("rebuild", "--definition", path).code == 0)
    try bench.shell.run("set", "Film/p4", "title=Up story")
    let message = "followspot: the saved search 'late' cannot be evaluated: no field is named 'year'\n"
    let alone = try bench.shell.run("saved", "watch", "late")
    #expect(alone.code == 2 && alone.errors.hasPrefix(message + "hint: "), "\(alone)")
    let both = try bench.shell.run("saved", "watch", "late", "stories", "--once")
    #expect(both.code == 2 && both.errors == message, "\(both)")
    #expect(both.output == "+ stories\t2.1/Film/p4\tUp story\n")
    let listed = try bench.shell.run("saved", "list").lines
    #expect(listed.first == "late\tyear:2005..\terror: no field is named 'year'")
  }

  @Test func `a purge keeps what is not read, and after a purge by force nothing is missing`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "title:story")
    #expect(try once(bench, "stories").isEmpty)
    for year in 2001...2003 { try bench.shell.run("set", "Film/p1", "year:=\(year)") }
    try bench.shell.run("delete", "Film/p2")
    try bench.shell.run("index")
    let held = try object(try bench.shell.run("history", "purge", "--before", "5").output)
    #expect(held["heldBy"] as? String == "saved:stories")
    #expect(try bench.shell.run("history", "purge", "--before", "5", "--ignore", "saved:stories").code == 0)
    let outcome = try bench.shell.run("saved", "watch", "stories", "--once")
    #expect(outcome.lines == ["~ 5.1/Film/p1\tToy Story", "- 5.2/Film/p2\tToy Story 2"])
    #expect(
      outcome.errors == "followspot: the saved search 'stories' is evaluated anew: "
        + "changes after transaction 1 are not in the history any more\n")
    #expect(try once(bench, "stories").isEmpty)
  }

  @Test func `after a restored backup the events lead to its records`() throws {
    let bench = try ShellFixture()
    try add(bench, "stories", "title:story")
    #expect(try once(bench, "stories", "--initial").count == 3)
    try bench.sql("VACUUM INTO '\(bench.directory.file("backup.store"))'")
    try bench.shell.run("set", "Film/p4", "title=Up story")
    try bench.shell.run("delete", "Film/p1")
    #expect(try once(bench, "stories").count == 2)
    #expect(try bench.shell.run("index").code == 0)
    for end in ["", "-wal", "-shm"] { unlink(bench.store + end) }
    try FileManager.default.moveItem(atPath: bench.directory.file("backup.store"), toPath: bench.store)
    let behind = try bench.shell.run("saved", "watch", "stories", "--once")
    #expect(behind.code == 4, "\(behind)")
    #expect(behind.errors.hasPrefix("followspot: the saved search 'stories' cannot be evaluated: the store is older"))
    #expect(try bench.shell.run("index").code == 0)
    let outcome = try bench.shell.run("saved", "watch", "stories", "--once")
    #expect(outcome.lines == ["+ 1.6/Film/p1\tToy Story", "- 1.7/Film/p4\tUp"])
    #expect(
      outcome.errors == "followspot: the saved search 'stories' is evaluated anew: "
        + "the history has diverged after the store was restored, replaced or attached\n")
  }

  @Test func `a database is compared before it is attached, and followed after it`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors);
      INSERT INTO authors VALUES (1, 'Ursula Le Guin'), (2, 'Iain Banks');
      INSERT INTO books VALUES (1, 'The Dispossessed', 1), (2, 'Excession', 2);
      """)
    #expect(try bench.shell.run("index").code == 0)
    try add(bench, "guin", "author.name:guin")
    #expect(try once(bench, "guin").isEmpty)
    try bench.sql("UPDATE authors SET name = 'Iain M. Banks' WHERE id = 2; UPDATE books SET author_id = 2 WHERE id = 1")
    #expect(try once(bench, "guin") == ["- 1.1/books/1\tThe Dispossessed"])
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    let attached = try bench.shell.run("saved", "watch", "guin", "--once")
    #expect(attached.code == 1 && attached.output.isEmpty, "\(attached)")
    #expect(
      attached.errors.hasSuffix(
        "evaluated anew: the history has diverged after the store was restored, replaced or attached\n"))
    try bench.sql("UPDATE authors SET name = 'U. K. Le Guin' WHERE id = 2")
    // The number 1.1 is taken.
    #expect(try once(bench, "guin") == ["+ 1.2/books/1\tThe Dispossessed", "+ 1.3/books/2\tExcession"])
  }
}
