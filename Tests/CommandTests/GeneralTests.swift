// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The common behaviour of all verbs: help, options, pipes and exit codes.
@Suite(.overlapping, .temporaryDirectory)
struct GeneralTests {
  private static let verbs = [
    "import", "set", "delete", "show", "history", "index", "wait", "rebuild", "rollback", "verify", "status", "failed",
    "search", "count", "explain", "suggest", "schema", "doctor", "config", "service", "completion", "help",
  ]

  @Test(arguments: verbs)
  func `help on a verb opens with two examples`(_ verb: String) throws {
    let bench = ShellFixture.empty()
    let help = try bench.shell.succeed(verb, "--help")
    #expect(help.errors == "")
    let lines = help.lines
    #expect(lines.first == "Examples:")
    #expect(lines.dropFirst().prefix { $0.hasPrefix("  followspot ") }.count >= 2)
    #expect(lines.dropFirst().prefix { $0.hasPrefix("  followspot ") }.allSatisfy { $0.contains(verb) })
    #expect(try bench.shell.run("help", verb).output == help.output)
    for arguments in [[verb, "-h"], ["-h", verb], [verb, "x", "-h"]] {
      #expect(try bench.shell.run(arguments).output == help.output, "\(arguments)")
    }
    #expect(try bench.shell.run(verb, "--version").output == "followspot 0.1.0\n")
  }

  @Test func `the overview lists every verb`() throws {
    let bench = ShellFixture.empty()
    let help = try bench.shell.succeed("--help")
    for verb in Self.verbs { #expect(help.output.contains("\n  \(verb) ")) }
    #expect(try bench.shell.run("help").output == help.output)
    #expect(try bench.shell.run("-h").output == help.output)
    #expect(try bench.shell.run("--version").output == "followspot 0.1.0\n")
    let bare = try bench.shell.run()
    #expect(bare.code == 2)
    #expect(bare.output == "")
    #expect(bare.errors.contains("Verbs:"))
  }

  @Test(arguments: [
    (["serch", "x"], "there is no verb 'serch'\nhint: did you mean search?"),
    (["help", "serch"], "there is no verb 'serch'\nhint: did you mean search?"),
    (["xyzzyxyzzy"], "there is no verb 'xyzzyxyzzy'\nhint: followspot help lists the verbs"),
    (["search", "--fromat", "x"], "there is no option --fromat\nhint: did you mean --format?"),
    (["--stroe", "x", "search"], "there is no option --stroe\nhint: did you mean --store?"),
    (["search", "--stroe=x", "y"], "there is no option --stroe\nhint: did you mean --store?"),
    (["status", "-x"], "there is no option -x"), (["search", "x", "--format"], "--format needs a value"),
    (["status", "extra"], "status does not take 'extra'"), (["import"], "import takes one file"),
    (["history", "prune"], "history has no subcommand 'prune'"),
  ])
  func `unknown verbs and options are refused with similar ones`(_ arguments: [String], _ message: String) throws {
    let bench = ShellFixture.empty()
    let outcome = try bench.shell.run(arguments)
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("followspot: " + message), "\(outcome)")
  }

  @Test func `options are accepted before and after the verb, with a space or an equals sign`() throws {
    let bench = try ShellFixture()
    var elsewhere = bench
    elsewhere.shell.environment["FOLLOWSPOT_STORE"] = nil
    let expected = "Film/p4\t0.000\tUp\n"
    for arguments in [
      ["--store", bench.store, "search", "year:2009"], ["search", "--store", bench.store, "year:2009"],
      ["search", "year:2009", "--store", bench.store], ["search", "year:2009", "--store=" + bench.store],
      ["--index", bench.index, "--store", bench.store, "search", "-n", "1", "year:2009"],
      ["--store=" + bench.store, "search", "-n1", "--", "year:2009"],
    ] {
      let outcome = try elsewhere.shell.run(arguments)
      #expect(outcome.output == expected, "\(arguments)")
    }
    elsewhere.shell.environment["FOLLOWSPOT_INDEX"] = bench.index
    elsewhere.shell.environment["FOLLOWSPOT_STORE"] = bench.store
    #expect(try elsewhere.shell.run("search", "year:2009").output == expected)
    #expect(try elsewhere.shell.run("search", "year:2009", "--index", bench.store + ".none").code == 3)
  }

  @Test func `two dashes end the options`() throws {
    let bench = try ShellFixture()
    let outcome = try bench.shell.run("search", "--format", "tsv", "--fields", "title", "--", "cowboy", "-doll")
    #expect(outcome.output == "Toy Story 2\n")
    #expect(try bench.shell.run("count", "--", "--format").code == 0)
  }

  @Test func `a verb ends without an error if the reader of its pipe exits`() throws {
    let bench = try ShellFixture(Films.lines((1...5_000).map { "film number \($0)" }), kind: "T", isIndexed: true)
    for arguments in ["search film --format ndjson", "history --format ndjson", "history"] {
      let process = Process()
      let errors = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "'\(Shell.program)' \(arguments) | head -c 1 > /dev/null; echo ${PIPESTATUS[0]} >&2"]
      process.environment = bench.shell.environment
      process.standardError = errors
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text == "0\n", "\(arguments)")
    }
  }

  @Test func `the queries in the help on the query language are valid`() throws {
    let bench = try ShellFixture()
    let help = try bench.shell.succeed("help", "query")
    let table = help.lines.filter { $0.hasPrefix("  ") }
    #expect(table.count > 15)
    for line in table {
      let typed = try #require(line.trimmingPrefix { $0 == " " }.components(separatedBy: "  ").first)
      for query in typed.components(separatedBy: ", ") {
        let found = try bench.shell.run("count", "--", query)
        // The query uses fields that these films do not have.
        #expect(found.code == 0 || found.errors.hasPrefix("followspot: no "), "\(query): \(found)")
      }
    }
    #expect(try bench.shell.run("search", "--help").output.contains("followspot help query"))
  }

  @Test(arguments: verbs.filter { !["import", "completion", "config", "doctor", "help"].contains($0) })
  func `without a store every verb exits 3 or 2 with a hint`(_ verb: String) throws {
    let bench = ShellFixture.empty()
    let arguments =
      [
        "set": ["T/p1", "a=b"], "delete": ["T/p1"], "show": ["T/p1"], "search": ["x"], "count": ["x"],
        "service": ["print"], "explain": ["T/p1", "x"], "suggest": ["x"],
      ][verb] ?? []
    let missing = try bench.shell.run([verb] + arguments)
    #expect(missing.code == 3, "\(missing)")
    #expect(missing.errors.contains("\nhint: "))
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
    #expect(left.filter { !$0.hasPrefix(".run-") } == [])
    var nameless = bench.shell
    nameless.environment["FOLLOWSPOT_STORE"] = nil
    let unnamed = try nameless.run([verb] + arguments)
    #expect(unnamed.code == 2)
    #expect(unnamed.errors.contains("hint: --store FILE"))
  }

  @Test(arguments: [
    ["count", "x"], ["verify"], ["verify", "--repair"], ["rollback"], ["delete", "x"], ["explain", "Film/p1", "x"],
  ])
  func `without an index the verb exits 3 and says what builds one`(_ arguments: [String]) throws {
    let bench = try ShellFixture(isIndexed: false)
    let missing = try bench.shell.run(arguments)
    #expect(missing.code == 3)
    #expect(missing.errors == "followspot: no index at \(bench.index)\nhint: followspot index\n")
  }

  @Test func `-h after a subcommand prints help, and after -- it is a word`() throws {
    let bench = try ShellFixture()
    let help = try bench.shell.run("help", "history").output
    #expect(try bench.shell.run("history", "purge", "-h").output == help)
    #expect(try bench.shell.run("history", "consumers", "add", "-h").output == help)
    #expect(try bench.shell.run("search", "toy", "--", "-h").lines.count == 2)
    #expect(try bench.shell.run("search", "toy", "-hat").lines.count == 2)
  }

  @Test(arguments: [
    ["search", "toy"], ["explain", "Film/p1", "toy"], ["suggest", "to"], ["status"], ["failed"], ["history"],
    ["history", "consumers"], ["show", "Film/p1"], ["config"], ["count", "toy"],
  ])
  func `--json equals --format json`(_ arguments: [String]) throws {
    let bench = try ShellFixture()
    let json = try bench.shell.run(arguments + ["--format", "json"])
    #expect(json.output.hasPrefix("{\"format\":2,") || json.output.hasPrefix("{\n"), "\(json)")
    func shape(_ outcome: Shell.Outcome) -> String { outcome.output.replacing(/:\d+/, with: ":N") }
    #expect(shape(try bench.shell.run(arguments + ["--json"])) == shape(json))
    #expect(try bench.shell.run("help", arguments[0]).output.contains("--json"))
    #expect(try bench.shell.run("wait", "--json").code == 2)
  }
}
