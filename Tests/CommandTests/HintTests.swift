// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Commands in hints work unchanged, on the store and the index of the call before.
@Suite(.overlapping, .temporaryDirectory)
struct HintTests {
  /// Runs the first command that a hint names, by a shell with the program in its path.
  private func follow(_ errors: String, _ bench: ShellFixture) throws -> Shell.Outcome {
    let hint = try #require(errors.firstMatch(of: /followspot --[^\n]*/)?.output)
    var shell = bench.shell
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    return try shell.run(["-c", String(hint)], program: "/bin/sh")
  }

  @Test(arguments: ["other.store", "it's $(touch pwn) other.store", "ö \"x\".store"])
  func `a hint repeats the store that the user named`(_ name: String) throws {
    let bench = try ShellFixture(isIndexed: false)
    try bench.shell.succeed(
      "import", try bench.directory.write("{\"title\": \"one\"}", to: "one.jsonl"), "--kind", "Film", "--store", name)
    let missing = try bench.shell.run("search", "one", "--store", name)
    #expect(missing.code == 3)
    let followed = try follow(missing.errors, bench)
    #expect(followed.code == 0, "\(missing) \(followed)")
    #expect(try bench.shell.run("--store", name, "count", "one").output == "1\n")
    // The store that the environment names is not changed.
    #expect(!FileManager.default.fileExists(atPath: bench.index))
    #expect(!FileManager.default.fileExists(atPath: bench.directory.file("pwn")))
  }

  @Test(arguments: [
    (["search", "toy year:3000"], 2), (["search", "plot:monsters"], 1),
    (["count", "toyy"], 2), (["search", "--all", "toy", "robot"], 2), (["search", "-title:story year:1999"], 5),
    (["delete", "toy year:3000"], 2), (["set", "year:3000", "rating=1"], 1),
    (["search", "released:..1990"], 1), (["search", "rating:>9"], 1), (["count", "year:1997"], 2),
    (["search", "--kind", "Film", "released:1990 toy"], 2),
  ])
  func `if nothing matches, the hint is a search that finds the stated number of records`(
    _ arguments: [String], _ count: Int
  ) throws {
    let bench = try ShellFixture()
    let nothing = try bench.shell.run(["--store", "films.store"] + arguments)
    let hint = try #require(nothing.errors.firstMatch(of: /hint: (\d+) records? match.*: followspot --store/))
    #expect(Int(hint.output.1) == count, "\(nothing)")
    #expect(!nothing.errors.contains("has:"), "\(nothing)")
    let followed = try follow(nothing.errors, bench)
    #expect(followed.lines.count == count, "\(followed)")
    #expect(try bench.newest() == 1)
  }

  @Test(arguments: [
    (["toy year:3000"], "2 records match without year:3000: followspot search toy"),
    (["--kind", "Film", "toy rating:77"], "2 records match without rating:77: followspot search --kind Film toy"),
    (["--kind", "Shelf", "toy"], "2 records match without --kind Shelf: followspot search toy"),
    (["--literal", "--all", "title:toy"], "2 records match without --literal: followspot search --all title:toy"),
    (["zzzqq year:1995 rating:8.3"], "1 record matches without zzzqq: followspot search 'year:1995 rating:8.3'"),
  ])
  func `a hint says what it leaves out`(_ arguments: [String], _ hint: String) throws {
    let bench = try ShellFixture()
    #expect(try bench.importRecords("{\"title\": \"one\"}", options: ["--kind", "Shelf"]).code == 0)
    #expect(try bench.shell.run("index").code == 0)
    let nothing = try bench.shell.run(["search"] + arguments)
    #expect(nothing.errors.contains("hint: \(hint)\n"), "\(nothing)")
  }

  @Test func `a word that occurs nowhere is named, also in a pipe`() throws {
    let bench = try ShellFixture()
    for (query, note) in [
      ("zzzzqqqq", "no record has the word 'zzzzqqqq'"), ("toy zzzzqqqq", "no record has the word 'zzzzqqqq'"),
      ("zzzzqqqq qqqqzzzz toy", "no record has the words 'zzzzqqqq', 'qqqqzzzz'"),
      ("zzzz-qqqq toy", "no record has the word 'zzzz-qqqq'"),
    ] {
      let found = try bench.shell.run("search", query)
      #expect(found.errors.contains("followspot: \(note)\n"), "\(query): \(found)")
      #expect(try bench.shell.run("count", query).errors.contains(note), "\(query)")
    }
    for known in ["toy", "toyy", "1995", "toy -zzzzqqqq", "the toy"] {
      #expect(try !bench.shell.run("search", known).errors.contains("no record has"), "\(known)")
    }
    // A word of a record that is not indexed yet is known.
    #expect(try bench.shell.run("set", "Film/p1", "title=zzzzqqqq").code == 0)
    #expect(try bench.shell.run("search", "zzzzqqqq").errors == "")
  }

  @Test func `if there are no hits, JSON contains the nearest query that finds something`() throws {
    let bench = try ShellFixture()
    let nothing = try object(try bench.shell.run("search", "toy year:3000", "--format", "json").output)
    #expect((nothing["hits"] as? [Any])?.isEmpty == true)
    let suggestion = try #require(nothing["suggestion"] as? [String: Any])
    #expect(suggestion["query"] as? String == "toy")
    #expect(suggestion["records"] as? Int == 2)
    #expect(suggestion["leavesOut"] as? [String] == ["year:3000"])
    #expect(try object(try bench.shell.run("search", "toy", "--format", "json").output)["suggestion"] == nil)
  }

  @Test func `a hint repeats the index that the user named`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let missing = try bench.shell.run("count", "toy", "--index", "else where")
    #expect(missing.errors.hasSuffix("\nhint: followspot --index 'else where' index\n"), "\(missing)")
    #expect(try follow(missing.errors, bench).code == 0)
    #expect(try bench.shell.run("--index", "else where", "count", "toy").output == "2\n")
    let doctor = try bench.shell.run("doctor", "--store", "films.store")
    #expect(doctor.output.contains("followspot --store films.store index"), "\(doctor)")
    let status = try bench.shell.run("status", "--store", "films.store")
    #expect(status.output.contains("followspot --store films.store index"), "\(status)")
    // Commands that do not need a store are not changed.
    let help = try bench.shell.run("--store", "films.store", "import")
    #expect(help.errors.hasSuffix("\nhint: followspot help import\n"), "\(help)")
  }
}
