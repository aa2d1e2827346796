// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `index`, `wait`, `rebuild`, `rollback`, `verify` and `status`.
@Suite(.overlapping, .temporaryDirectory)
struct IndexTests {
  // MARK: Passes

  @Test func `a pass continues after the token`() throws {
    let bench = try ShellFixture()
    for round in 2...4 {
      _ = try bench.shell.run("set", "Film/p1", "plot=round \(round)")
      let pass = try bench.shell.succeed("index")
      #expect(pass.output.hasPrefix("{\"token\":\(round),\"inserted\":0,\"updated\":1,"))
      let token = try bench.number("token")
      #expect(token == round)
      try bench.expectEqual(documents: 8)
    }
    let idle = try bench.shell.succeed("index")
    #expect(idle.errors == "")
  }

  @Test func `the paths of store and index can be relative or end with a slash`() throws {
    let bench = try ShellFixture(isIndexed: false)
    for _ in 0..<2 {
      try bench.shell.succeed("index", "--store", "films.store", "--index", "other/")
    }
    #expect(try bench.shell.run("count", "*", "--index", "other").output == "8\n")
    #expect(try bench.shell.run("count", "*").code == 3)
  }

  @Test(arguments: ["1", "2", "8"])
  func `an index that any number of threads built equals the store`(threads: String) throws {
    let bench = try ShellFixture(isIndexed: false)
    #expect(try bench.shell.run("index", "--threads", threads).code == 0)
    try bench.expectEqual(documents: 8)
    #expect(try bench.shell.run("rebuild", "--threads", threads).code == 0)
    try bench.expectEqual(documents: 8)
  }

  @Test(arguments: ["index", "rebuild"])
  func `a number of threads that cannot be used is an error`(verb: String) throws {
    let bench = try ShellFixture()
    for (value, message) in [
      ("0", "--threads takes a whole number from 1, not '0'"),
      ("-2", "--threads takes a whole number from 1, not '-2'"),
      ("many", "--threads takes a whole number from 1, not 'many'"), ("33", "--threads takes at most 32, not '33'"),
    ] {
      let result = try bench.shell.run(verb, "--threads", value)
      #expect(result.code == 2)
      #expect(result.errors.split(separator: "\n").first == "followspot: \(message)")
    }
  }

  @Test func `an update of an attribute that is not indexed is counted`() throws {
    let bench = try ShellFixture()
    let definition = #"{"entities":{"Film":{"fields":[{"name":"title","roles":["text"]}]}}}"#
    let file = try bench.directory.write(definition, to: "definition.json")
    _ = try bench.shell.run("index", "--definition", file)
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    _ = try bench.shell.run("index")
    let skipped = try bench.number("skippedUpdates")
    #expect(skipped == 1)
    try bench.expectEqual(documents: 8)
  }

  // MARK: Waiting

  @Test func `wait ends at the token, or exits 4 after its timeout`() throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("wait").code == 0)
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    let late = try bench.shell.run("wait", "--timeout", "100ms")
    #expect(late.code == 4)
    #expect(
      late.errors == """
        followspot: no process updates this index; waiting for one
        hint: followspot index --follow
        followspot: the index is at transaction 1, not yet at 2

        """)
    #expect(try bench.shell.run("wait", "--token", "1", "--timeout", "0").code == 0)
    let follower = try bench.follow()
    #expect(try bench.shell.run("wait").code == 0)
    // While a follower runs, only the end is reported.
    let beside = try bench.shell.run("wait", "--token", "9", "--timeout", "100ms")
    #expect(beside.errors == "followspot: the index is at transaction 2, not yet at 9\n")
    bench.stop(follower)
  }

  @Test func `while the first index is built, a search prints the progress and asks to try again`() throws {
    var catalogue = Catalogue(seed: 1)
    let records = (0..<4_000).map { _ in
      "{\"title\": \"\(catalogue.words(3))\", \"plot\": \"\(catalogue.words(40))\"}\n"
    }
    let bench = try ShellFixture(records.joined(), isIndexed: false)
    let building = try bench.shell.start(["index"])
    // Suspends the build while it reads the rows.
    while building.isRunning {
      let lock = try? String(contentsOfFile: bench.index + "/rebuild.lock", encoding: .utf8)
      let lines = (lock ?? "").split(separator: "\n")
      if lines.count > 5, lines[3] == "building", lines[4] != "0" { break }
      usleep(1_000)
    }
    building.signal(SIGSTOP)
    try #require(building.isRunning)
    for verb in ["search", "count"] {
      let early = try bench.shell.run(verb, "*")
      #expect(early.code == 75)
      #expect(early.output == "")
      let sentence =
        #"followspot: the index \S+ is being built by process \d+, \d+ of 4000 rows, about \d+ s left\n"#
        + #"hint: try again later, or run followspot wait\n"#
      #expect(early.errors.wholeMatch(of: try Regex(sentence)) != nil, "\(early)")
    }
    building.signal(SIGCONT)
    #expect(building.wait().code == 0)
    #expect(try bench.shell.run("count", "*").output == "4000\n")
  }

  @Test func `wait continues while there is no index`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let late = try bench.shell.run("wait", "--timeout", "100ms")
    #expect(late.code == 4)
    #expect(late.errors.hasSuffix("\nfollowspot: the index does not exist, not yet at 1\n"))
    let waiting = try bench.shell.start(["wait", "--timeout", "60s"])
    #expect(waiting.waitForError("no process updates this index"))
    _ = try bench.shell.run("index")
    #expect(waiting.wait().code == 0)
    #expect(try bench.shell.run("wait", "--timeout", "soon").code == 2)
  }

  // MARK: Status

  @Test func `status as JSON has exactly the documented keys`() throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    let outcome = try bench.shell.succeed("status", "--format", "json")
    let shape = neutral(outcome.output)
      .replacing(/"(path|name|definitionDigest|checksum)":"[^"]*"/) { "\"\($0.1)\":\"…\"" }
      .replacing(/"uuid":"[0-9a-f-]{36}"/, with: "\"uuid\":\"…\"")
      .replacing(/"(bytes|walBytes)":\d+/) { "\"\($0.1)\":N" }.replacing(
        /"lagSeconds":[0-9.]+/, with: "\"lagSeconds\":X")
    #expect(
      shape == #"{"format":2,"store":{"path":"…","uuid":"UUID","access":"history","bytes":N,"walBytes":N,"#
        + #""history":{"transactions":2,"changes":9,"bytes":N},"remarks":[]},"index":{"path":"…","uuid":"…","#
        + #""generation":1,"builtFrom":"null","documents":8,"bytes":N,"definitionDigest":"…","checksum":"…"},"#
        + #""complete":{"rows":8,"documents":8,"leftOut":{"noKey":0,"noDefinition":0,"joins":0,"notAttached":0,"#
        + #""notSearchable":0,"rejected":0},"truncated":0,"failed":0,"pending":1},"#
        + #""token":1,"newest":2,"oldest":1,"lagTransactions":1,"lagSeconds":X,"futureStamp":null,"consumers":[{"name":"…","#
        + #""token":1,"lag":1,"holds":1,"seen":"TIME","state":"current","reason":null}],"follower":null,"rebuild":null,"#
        + #""failed":0,"skippedUpdates":0,"lastReconcile":null}"# + "\n")
  }

  @Test func `status without an index says so`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let status = try bench.status()
    #expect(status["index"] is NSNull)
    #expect(status["token"] is NSNull)
    #expect(status["newest"] as? Int == 1)
    let text = try bench.shell.succeed("status")
    #expect(text.output.contains("followspot index"))
  }

  // MARK: Following

  @Test func `a follower reports when it is ready, is named by status, and stops at once`() throws {
    let bench = try ShellFixture()
    for signal in [SIGTERM, SIGINT] {
      let follower = try bench.follow()
      #expect(
        follower.errors == "followspot: following \(bench.store) from token 1, pid \(follower.pid)\n")
      let status = try bench.status()
      #expect(((status["follower"] as? [String: Any])?["pid"] as? Int) == Int(follower.pid))
      #expect(try bench.shell.run("status").output.contains("process \(follower.pid)"))
      let begun = Date()
      follower.signal(signal)
      let outcome = follower.wait()
      #expect(Date().timeIntervalSince(begun) < 1)
      #expect(outcome.code == 0)
      #expect(try bench.status()["follower"] is NSNull)
    }
  }

  @Test func `a second tailer exits 5 and names the first`() throws {
    let bench = try ShellFixture()
    let follower = try bench.follow()
    for arguments in [["index"], ["index", "--follow"], ["verify", "--repair"]] {
      let second = try bench.shell.run(arguments)
      #expect(second.code == 5, "\(second)")
      #expect(second.errors.contains("process \(follower.pid)"))
    }
    bench.stop(follower)
    #expect(try bench.shell.run("index").code == 0)
  }

  @Test func `a follower continues in the new generation after a rebuild by another process`() throws {
    let bench = try ShellFixture()
    let follower = try bench.follow()
    #expect(try bench.shell.run("rebuild").code == 0)
    _ = try bench.shell.run("set", "Film/p4", "title=Down")
    #expect(try bench.shell.run("wait").code == 0)
    #expect(try bench.titles("title:down") == ["Down"])
    #expect(follower.isRunning)
    let generation = (try bench.status()["index"] as? [String: Any])?["generation"] as? Int
    #expect(generation == 2)
    bench.stop(follower)
    try bench.expectEqual(documents: 8)
  }

  // MARK: Rebuilding

  @Test(arguments: [[], ["--replay"]])
  func `a rebuilt index equals one that passes updated`(_ options: [String]) throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    _ = try bench.shell.run("delete", "Film/p2")
    _ = try bench.shell.run("index")
    let tailed = try bench.shell.run("verify").output
    let rebuilt = try bench.shell.succeed(["rebuild"] + options)
    #expect(tailed == "equal " + rebuilt.output.dropFirst("generation=2 ".count))
    #expect(try bench.shell.run("verify").output == tailed)
    let from = (try bench.status()["index"] as? [String: Any])?["builtFrom"] as? String
    #expect(from == (options.isEmpty ? "null" : "replay"))
  }

  @Test func `a replay without the first transaction exits 6 and changes nothing`() throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    _ = try bench.shell.run("index")
    try bench.sql("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 1; DELETE FROM ATRANSACTION WHERE Z_PK = 1")
    let replayed = try bench.shell.run("rebuild", "--replay")
    #expect(replayed.code == 6)
    #expect(replayed.errors.contains("hint: followspot rebuild"))
    try bench.expectEqual(documents: 8)
    #expect(try bench.shell.run("rebuild").code == 0)
  }

  @Test func `a rollback switches to the older generation, which the next pass updates`() throws {
    let bench = try ShellFixture()
    let none = try bench.shell.run("rollback")
    #expect(none.code == 1)
    #expect(try bench.shell.run("rebuild").code == 0)
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    _ = try bench.shell.run("index")
    let back = try bench.shell.succeed("rollback")
    #expect(back.output == "generation=1\n")
    #expect(try bench.number("token") == 1)
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 8)
    #expect(try bench.shell.run("rollback").code == 1)
  }

  // MARK: Definitions

  @Test func `a definition is kept, and a changed one builds a new generation beside the serving one`() throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("count", "robot").output == "1\n")
    let definition = #"{"entities":{"Film":{"title":"title","fields":[{"name":"title","roles":["text"]}]}}}"#
    let file = try bench.directory.write(definition, to: "definition.json")
    let changed = try bench.shell.succeed("index", "--definition", file)
    #expect(changed.errors.contains("definition has changed: rebuilding beside the serving index"))
    for arguments in [["index"], ["index", "--definition", file], ["rebuild"]] {
      let next = try bench.shell.succeed(arguments)
      #expect(next.errors == "")
      #expect(try bench.shell.run("count", "robot").output == "0\n")
    }
    #expect(try bench.shell.run("count", "year:1995").code == 2)
    try bench.expectEqual(documents: 8)
  }

  @Test func `the output of schema is a valid definition`() throws {
    let bench = try ShellFixture()
    let file = try bench.directory.write(try bench.shell.run("schema").output, to: "schema.json")
    try bench.shell.succeed("index", "--definition", file)
    try bench.expectEqual(documents: 8)
  }

  @Test(arguments: [
    (#"{"entities":{"Film":{"fields":[{"name":"title","roles":["words"]}]}}}"#, "entities.Film.fields[0].roles[0]"),
    (#"{"entities":{"Film":{"fields":[{"name":"titel","roles":["text"]}]}}}"#, "entities.Film.fields[0].path"),
    (#"{"entities":{"Film":{"fields":[{"name":"year","roles":["text"]}]}}}"#, "entities.Film.fields[0].roles"),
    (
      #"{"entities":{"Film":{"fields":[{"name":"title","roles":["text"],"weight":-1}]}}}"#,
      "entities.Film.fields[0].weight"
    ),
    (#"{"entities":{"Movie":{"fields":[]}}}"#, "entities.Movie"), (#"{"entities":{}}"#, "entities"),
    (#"{"entities":{"Film":{"fields":[],"titel":"x"}}}"#, "entities.Film.titel"), (#"{"entities":"#, "definition.json"),
    (#"{"language":"klingon","entities":{"Film":{"fields":[{"name":"title","roles":["text"]}]}}}"#, "language"),
  ])
  func `an invalid definition is refused with its path, and nothing changes`(_ json: String, _ place: String) throws {
    let bench = try ShellFixture()
    let file = try bench.directory.write(json, to: "definition.json")
    for verb in ["index", "rebuild"] {
      let refused = try bench.shell.run(verb, "--definition", file)
      #expect(refused.code == 2, "\(refused)")
      #expect(refused.errors.contains(place + ":"), "\(refused)")
    }
    #expect(try bench.shell.run("count", "robot").output == "1\n")
    try bench.expectEqual(documents: 8)
  }

  @Test func `a definition that does not exist is refused`() throws {
    let bench = try ShellFixture()
    let refused = try bench.shell.run("index", "--definition", "none.json")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("none.json"))
  }

  // MARK: Verifying

  @Test func `changes without a history entry are found and repaired`() throws {
    let bench = try ShellFixture()
    let whole = try bench.shell.run("verify")
    try bench.sql("UPDATE ZFILM SET ZTITLE = 'Other' WHERE Z_PK = 1; DELETE FROM ZFILM WHERE Z_PK = 2")
    try bench.sql("INSERT INTO ZFILM SELECT 99, Z_ENT, Z_OPT, " + (try columns(bench)) + " FROM ZFILM WHERE Z_PK = 3")
    for options in [[], ["--quick"]] {
      let different = try bench.shell.run(["verify"] + options)
      #expect(different.code == 1)
      #expect(
        different.output == """
          missing Film/p99
          extra Film/p2
          stale Film/p1
          different missing=1 extra=1 stale=1

          """)
      #expect(different.errors == "hint: followspot verify --repair\n")
    }
    let repaired = try bench.shell.succeed("verify", "--repair")
    #expect(repaired.errors == "followspot: repaired: 1 added, 1 updated, 1 removed\n")
    #expect(repaired.output.hasPrefix("equal documents=8 token=1 checksum="))
    #expect(repaired.output != whole.output)
    #expect(try bench.shell.run("verify", "--quick").output == repaired.output)
  }

  private func columns(_ bench: ShellFixture) throws -> String {
    let store = try Connection(path: bench.store, access: .readOnly)
    let statement = try store.cursor("SELECT name FROM pragma_table_info('ZFILM') WHERE cid > 2 ORDER BY cid")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(at: 0)) }
    return names.joined(separator: ", ")
  }

  @Test func `lag alone is not a difference`() throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    _ = try bench.shell.run("delete", "Film/p2")
    let verified = try bench.shell.succeed("verify")
    #expect(verified.output.hasPrefix("equal documents=7 token=1 "))
  }
}
