// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The output formats for scripts.
@Suite(.overlapping, .temporaryDirectory)
struct FormatTests {
  @Test func `text0 is text with a NUL after every hit`() throws {
    let records = #"{"title": "one\ntwo"}"# + "\n" + #"{"title": "tab\tand \u0000"}"# + "\n"
    let bench = try ShellFixture(records)
    let zeros = try bench.shell.run("search", "*", "--format", "text0")
    #expect(zeros.output == "Film/p1\t0.000\tone two\0Film/p2\t0.000\ttab and \\u{0}\0")
    #expect(try bench.shell.run("search", "*", "--format", "text0", "--fields", "@id").output == "Film/p1\0Film/p2\0")
    #expect(try bench.shell.run("search", "xyzzy", "--format", "text0").output == "")
    // All hits, as in every format that an option names.
    try bench.importRecords(
      (0..<30).map { #"{"title": "more \#($0)"}"# }.joined(separator: "\n"), options: ["--kind", "Film"])
    #expect(try bench.shell.run("index").code == 0)
    let all = try bench.shell.run("search", "more", "--format", "text0").output
    #expect(all.split(separator: "\0").count == 30)
  }

  @Test(arguments: [
    (#"{title} ({year})\n"#, "Up (2009)\n"), ("{title}", "Up"),
    (#"{@id}\t{@entity}\t{@freshness}\0"#, "Film/p4\tFilm\tindexed\0"),
    (#"\{{TITLE}\}\\"#, #"{Up}\"#),
    (#"{people.name}; {genres}: {title}{title}"#, "Pete Docter; Ed Asner; Animated; Drama: UpUp"),
    (#"✈ {released}"#, "✈ 2009-05-29"), ("{plot}\\n", "An old man flies away in his house.\n"),
  ])
  func `a template is filled with the fields of a hit`(_ template: String, _ shown: String) throws {
    let bench = try ShellFixture()
    let filled = try bench.shell.run("search", "title:up", "--template", template)
    #expect(filled.output == shown)
    #expect(filled.code == 0)
    #expect(try bench.shell.run("search", "title:nothing", "--template", template).code == 1)
  }

  @Test func `numbers and truth values inside JSON values are printed`() throws {
    let record = #"{"name":"a","r":{"n":60,"t":true,"s":"x","list":[1,2]}}"#
    let bench = try ShellFixture(record + "\n", kind: "T")
    let shown = try bench.shell.run("search", "a", "--template", "{r.n} {r.t} {r.s} {r.list}")
    #expect(shown.output == "60 true x 1; 2")
  }

  @Test(arguments: [
    ("{titel}", "--template: no record has a field 'titel'\nhint: did you mean title?"),
    ("{title", "--template: a } is missing behind '{title'"), ("title}", "--template: a { is missing before '}'"),
    ("{}", "--template: '{}' names no field"), ("{a,b}", "--template: '{a,b}' names no field"),
    ("no field", "--template: it names no field"), (#"{title}\q"#, #"--template: '\q' stands for nothing"#),
    (#"{title}\"#, #"--template: '\' stands for nothing"#), ("{a{b}}", "--template: '{a{b}' names no field"),
  ])
  func `an invalid template is refused`(_ template: String, _ message: String) throws {
    let bench = try ShellFixture()
    let outcome = try bench.shell.run("search", "*", "--template", template)
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("followspot: " + message), "\(outcome)")
  }

  @Test func `a template cannot be combined with --fields or another format`() throws {
    let bench = try ShellFixture()
    for other in [["--format", "json"], ["--fields", "title"], ["--format", "text0"]] {
      let outcome = try bench.shell.run(["search", "*", "--template", "{title}"] + other)
      #expect(outcome.code == 2, "\(other)")
      #expect(outcome.errors.hasPrefix("followspot: --template prints text and cannot be combined"))
    }
    #expect(try bench.shell.run("search", "up", "--template", "{title}", "--format", "text").output == "Up")
  }

  @Test func `every verb accepts versions 1 and 2 of the formats only`() throws {
    let bench = try ShellFixture()
    for command in [
      ["status", "--format", "json"], ["search", "toy", "--format", "json"], ["history", "--format", "ndjson"],
    ] {
      let plain = try bench.shell.run(command)
      for version in ["1", "2"] {
        let versioned = try bench.shell.succeed(command + ["--format-version", version])
        // Only the age of pending changes could differ, and there are none.
        let number = #""format":\#(version)"#
        #expect(versioned.output == plain.output.replacing(#""format":2"#, with: number))
      }
      for version in ["3", "0", "01", "one", ""] {
        let refused = try bench.shell.run(command + ["--format-version", version])
        #expect(refused.code == 2)
        #expect(refused.output == "")
        #expect(
          refused.errors
            == "followspot: this version prints formats 1 and 2, not '\(version)'\nhint: --format-version 2\n")
      }
    }
  }

  @Test func `output to a pipe has no colour and no pager, even if the environment requests them`() throws {
    let bench = try ShellFixture()
    var shell = bench.shell
    let plain = try shell.run("search", "toy").output
    shell.environment.merge(["TERM": "xterm", "PAGER": "false", "FOLLOWSPOT_PAGER": "false"]) { $1 }
    #expect(try shell.run("search", "toy").output == plain)
    #expect(try shell.run("search", "toy", "--color", "auto").output == plain)
    let outcome = try shell.run("search", "toy", "--color", "sometimes")
    #expect(outcome.code == 2)
    #expect(outcome.errors == "followspot: --color takes auto, always, never, not 'sometimes'\n")
  }
}
