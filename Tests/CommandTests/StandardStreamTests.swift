// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Closed standard input, and standard output that cannot be written.
@Suite(.overlapping, .temporaryDirectory)
struct StandardStreamTests {
  private func run(_ bench: ShellFixture, _ redirection: String, _ arguments: String...) throws -> Shell.Outcome {
    try bench.shell.run(
      ["-c", "exec \"$0\" \"$@\" \(redirection)", Shell.program] + arguments, program: "/bin/sh")
  }

  @Test func `a closed standard input is an error, not an empty file`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let outcome = try run(bench, "<&-", "import", "-", "--input-format", "jsonl")
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.hasPrefix("followspot: standard input cannot be read: "), "\(outcome)")
  }

  @Test(arguments: [">&-", ">/dev/full"])
  func `if standard output cannot be written, a save is complete and reported on standard error`(redirection: String)
    throws
  {
    let bench = try ShellFixture()
    let records = try bench.directory.write(Films.lines, to: "more.jsonl")
    for (verb, token) in [
      (["import", records, "--again"], 2), (["set", "Film/p1", "title=Other"], 3), (["delete", "Film/p2"], 4),
    ] {
      let outcome = try bench.shell.run(
        ["-c", "exec \"$0\" \"$@\" \(redirection)", Shell.program] + verb, program: "/bin/sh")
      #expect(outcome.code == 0, "\(outcome)")
      #expect(
        outcome.errors.hasPrefix(
          "followspot: the save is complete, its transaction is \(token); but standard output"),
        "\(outcome)")
      #expect(try bench.newest() == token)
    }
  }

  @Test(arguments: [">&-", ">/dev/full"])
  func `an answer that cannot be written is an error`(redirection: String) throws {
    let bench = try ShellFixture()
    for verb in ["count", "search"] {
      let outcome = try run(bench, redirection, verb, "toy")
      #expect(outcome.code == 2 && outcome.errors.contains("standard output cannot be written"), "\(outcome)")
    }
    let nothing = try run(bench, redirection, "set", "title:nothing", "year=1")
    #expect(nothing.code == 2, "\(nothing)")
  }

  @Test func `the store never gets the descriptor of a closed standard stream`() throws {
    let bench = try ShellFixture()
    let outcome = try run(bench, "<&- >&- 2>&-", "set", "Film/p1", "title=Other")
    #expect(outcome.code == 0, "\(outcome)")
    try #require(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 8)
  }
}
