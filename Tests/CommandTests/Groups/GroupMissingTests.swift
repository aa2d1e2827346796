// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Groups of which one store cannot be read.
@Suite(.overlapping, .temporaryDirectory)
struct GroupMissingTests {
  enum Fault: String, CaseIterable { case missing, damaged, withoutIndex }

  private func apply(_ fault: Fault, to name: String, _ bench: GroupFixture) throws {
    switch fault {
    case .missing: try FileManager.default.removeItem(atPath: bench.path(name))
    case .damaged: try Data("no database".utf8).write(to: URL(filePath: bench.path(name)))
    case .withoutIndex: try FileManager.default.removeItem(atPath: bench.path(name) + ".index")
    }
    for suffix in ["-wal", "-shm"] { unlink(bench.path(name) + suffix) }
    try bench.age()
  }

  @Test(arguments: Fault.allCases, ["one", "two"])
  func `a store that cannot be read is named, and the answer is that of the others`(
    _ fault: Fault, _ name: String
  ) throws {
    let bench = try GroupFixture(seed: 41, records: 60)
    try apply(fault, to: name, bench)
    let others = GroupFixture.parts.filter { $0 != name }.flatMap { ["--store", $0] }
    for verb in [
      ["search", "toy", "--format", "tsv"], ["search", "toy", "--sort", "year,title", "--format", "tsv"],
      ["search", "zzqq", "--format", "tsv"], ["count", "toy"], ["count", "*", "--by", "genres"],
    ] {
      let whole = try bench.shell.run(["--store", "all"] + verb)
      let rest = try bench.shell.run(others + verb)
      #expect(whole.code == 8 && rest.code < 2 && whole.output == rest.output, "\(verb) \(whole) \(rest)")
      #expect(whole.errors.contains("followspot: missing from this answer: \(name): "), "\(whole)")
    }
    let json = try bench.shell.run("--store", "all", "search", "toy", "--json")
    let schema = SchemaValidator(schema: try JSONValue(try bench.shell.run("help", "formats").output))
    #expect(json.code == 8)
    #expect(try schema.faults(of: JSONValue(json.output), as: "groupSearch") == [])
    let missing = try #require(try object(json.output)["missing"] as? [[String: String]])
    #expect(missing.map { $0["name"] } == [name])
  }

  @Test func `the exit code of index and status is that of a missing part, and of missing stores if there is no other`()
    throws
  {
    let bench = try GroupFixture(seed: 42, records: 30)
    try apply(.missing, to: "two", bench)
    for verb in ["index", "status"] {
      let outcome = try bench.shell.run("--store", "all", verb)
      #expect(
        outcome.code == 8 && outcome.errors == "followspot: two: no store at \(bench.path("two"))\n", "\(outcome)")
    }
    for name in ["one", "three"] { try apply(.missing, to: name, bench) }
    for verb in [["index"], ["status"], ["search", "toy"], ["count", "toy"]] {
      let outcome = try bench.shell.run(["--store", "all"] + verb)
      #expect(outcome.code == 3 && outcome.errors.contains("one: no store at \(bench.path("one"))\n"), "\(outcome)")
    }
  }

  @Test func `the hint for a store that was indexed is its new path, and for another one import`() throws {
    let bench = try GroupFixture(seed: 43, records: 30)
    try apply(.missing, to: "two", bench)
    let moved = "it was moved or deleted after it was indexed: name its new path with --store, or in the configuration"
    for call in [
      ["--store", "all", "search", "toy"], ["--store", "two", "search", "toy"], ["--store", "two", "count", "toy"],
      ["--store", bench.path("two"), "index"], ["--store", "two", "status"], ["--store", "two", "show", "Film/p1"],
      ["--store", "two", "verify"], ["--store", "two", "doctor"],
    ] {
      let outcome = try bench.shell.run(call)
      let text = outcome.errors + outcome.output
      #expect(text.contains("hint: \(moved)\n") && !text.contains("import"), "\(call) \(outcome)")
    }
    let new = try bench.shell.run("--store", "one", "--store", "new.store", "search", "toy")
    #expect(
      new.code == 8
        && new.errors.contains("hint: make one with: followspot --store new.store import FILE.jsonl --kind ENTITY\n"),
      "\(new)")
    try apply(.withoutIndex, to: "three", bench)
    let unindexed = try bench.shell.run("--store", "one", "--store", "three", "search", "toy")
    #expect(unindexed.errors.contains("hint: followspot --store three index\n"), "\(unindexed)")
  }
}
