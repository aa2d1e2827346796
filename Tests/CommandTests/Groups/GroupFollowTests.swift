// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The indexes of several stores, updated by one process.
@Suite(.overlapping, .temporaryDirectory)
struct GroupFollowTests {
  @Test func `one process indexes the saves of all stores of a group`() throws {
    var bench = try GroupFixture(seed: 21, records: 30)
    let follower = try bench.shell.start(["--store", "all", "index", "--follow"])
    for name in GroupFixture.parts {
      #expect(follower.waitForError("followspot: \(name): following from token "), "\(follower.errors)")
    }
    try bench.add(20)
    for name in GroupFixture.parts {
      let newest = try object(bench.shell.run("--store", name, "status", "--format", "json").output)["newest"] as? Int
      let wanted = try String(#require(newest))
      #expect(try bench.shell.run("--store", name, "wait", "--token", wanted, "--timeout", "60s").code == 0, "\(name)")
    }
    // The same process serves each of them.
    let status = try bench.shell.run("--store", "all", "status").lines
    #expect(
      status.map { $0.split(separator: "\t").suffix(2).joined(separator: " ") }
        == ["none following", "none following", "none following"])
    follower.signal(SIGTERM)
    let outcome = follower.wait()
    #expect(outcome.code == 0, "\(outcome)")
    for name in GroupFixture.parts {
      #expect(try bench.shell.run("--store", name, "verify").code == 0)
      let count = try bench.shell.run("--store", name, "count", "*").output
      #expect(try count == "\(bench.rows("ZFILM", of: name))\n")
    }
  }

  @Test func `answers are complete while the indexes change`() throws {
    var bench = try GroupFixture(seed: 26, records: 30)
    let follower = try bench.shell.start(["--store", "all", "index", "--follow"])
    for _ in 1...25 {
      try bench.add(4)
      let rows = try GroupFixture.parts.reduce(0) { try $0 + bench.rows("ZFILM", of: $1) }
      let found = try bench.shell.run("--store", "all", "search", "*", "-n", "0", "--format", "tsv", "--fields", "@id")
      #expect(found.code == 0 && found.lines.count == rows, "\(found.errors)")
      let sorted = try bench.shell.run(
        "--store", "all", "search", "*", "-n", "0", "--sort", "year", "--format", "tsv", "--fields", "@id")
      #expect(sorted.code == 0 && sorted.lines.count == rows, "\(sorted.errors)")
      #expect(try bench.shell.run("--store", "all", "count", "*").output == "\(rows)\n")
    }
    follower.signal(SIGTERM)
    #expect(follower.wait().code == 0)
  }

  @Test func `an error of one store does not stop the others`() throws {
    let bench = try GroupFixture(seed: 22, records: 10)
    try FileManager.default.removeItem(atPath: bench.path("one"))
    let follower = try bench.shell.start(["--store", "mixed", "index", "--follow"])
    #expect(follower.waitForError("books: following from token 1"), "\(follower.errors)")
    let more = try bench.directory.write(#"{"title": "Toy Repair", "pages": 7, "genres": []}"# + "\n", to: "more.jsonl")
    #expect(try bench.shell.run("--store", "books", "import", more, "--kind", "Book").code == 0)
    #expect(try bench.shell.run("--store", "books", "wait", "--timeout", "60s").code == 0)
    follower.signal(SIGTERM)
    let outcome = follower.wait()
    #expect(outcome.code == 8, "\(outcome)")
    #expect(outcome.errors.contains("followspot: one: no store at \(bench.path("one"))"))
  }

  @Test func `a process ends if it can follow none of its stores`() throws {
    let bench = try GroupFixture(seed: 23, records: 10)
    let outcome = try bench.shell.run("--store", "a/none", "--store", "b/none", "index", "--follow")
    #expect(outcome.code == 3 && outcome.lines.isEmpty)
    #expect(
      Set(outcome.errors.split(separator: "\n").map(String.init))
        == ["followspot: a/none: no store at a/none", "followspot: b/none: no store at b/none"])
  }

  @Test func `one pass updates all stores, and goes on after an error`() throws {
    var bench = try GroupFixture(seed: 24, records: 10)
    try bench.add(20)
    #expect(try bench.shell.run("--store", "all", "index").code == 0)
    for line in try bench.shell.run("--store", "all", "status").lines {
      #expect(line.hasSuffix("\tnone\tnone"), "\(line)")
    }
    try bench.add(5)
    let outcome = try bench.shell.run("--store", "a/none", "--store", "one", "--store", "two", "index")
    #expect(outcome.code == 8 && outcome.errors == "followspot: a/none: no store at a/none\n", "\(outcome)")
    #expect(
      try bench.shell.run("--store", "one", "--store", "two", "status").lines.allSatisfy {
        $0.hasSuffix("\tnone\tnone")
      })
  }

  @Test func `a definition is about one store`() throws {
    let bench = try GroupFixture(seed: 25, records: 10)
    let outcome = try bench.shell.run("--store", "all", "index", "--definition", "definition.json")
    #expect(outcome.code == 2)
    #expect(outcome.errors.hasPrefix("followspot: --definition is about one store, not several\n"))
  }
}
