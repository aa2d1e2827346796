// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Errors of invalid queries: one line, a caret under the mistake, a hint, exit code 2. Plain words are never an error.
@Suite(.overlapping, .temporaryDirectory)
struct QueryErrorTests {
  private static let bad: [(String, String)] = [
    ("titel:toy", "no field is named 'titel'\n  titel:toy\n  ^\nhint: did you mean title?"),
    ("toy plt:robot", "no field is named 'plt'\n  toy plt:robot\n      ^\nhint: did you mean plot?"),
    (
      "people.nam:docter",
      "no field is named 'people.nam'\n  people.nam:docter\n  ^\nhint: did you mean people.name?"
    ),
    ("toy before:2020", "no field is named 'before'\n  toy before:2020\n      ^\nhint: released:<2020"),
    ("after:1.2.1990", "no field is named 'after'\n  after:1.2.1990\n  ^\nhint: released:>1.2.1990"),
    ("is:favourite", "no flag is named 'favourite'\n  is:favourite\n     ^\nhint: did you mean isFavorite?"),
    ("kind:Novel", "no kind is named 'Novel'\n  kind:Novel\n       ^\nhint: known names: Film"),
    ("is:great", "no flag is named 'great'\n  is:great\n     ^\nhint: known names: isFavorite"),
    ("kind:Flim", "no kind is named 'Flim'\n  kind:Flim\n       ^\nhint: did you mean Film?"),
    ("year:soon", "year takes a number, not 'soon'\n  year:soon\n       ^\nhint: year:5 or year:1..10"),
    ("year:1990s", "year takes a number, not '1990s'\n  year:1990s\n       ^\nhint: year:1990..1999"),
    (
      "toy released:>soon",
      "released takes dates, not 'soon'\n  toy released:>soon\n               ^\n"
        + "hint: released:1995..2010, released:>=2001-12-31, released:last-month or released:7d.."
    ),
    (
      "title:1..5",
      "title does not support ranges: it is neither a number nor a date\n  title:1..5\n  ^\nhint: search its words with title:word"
    ),
    (
      "toy year:2010..2000",
      "the range 2010..2000 ends before it begins\n  toy year:2010..2000\n           ^\nhint: year:2000..2010"
    ),
    ("to*", "to* is too short\n  to*\n  ^\nhint: give at least 3 letters before *"),
    ("robot title:t*", "t* is too short\n  robot title:t*\n        ^\nhint: give at least 3 letters before *"),
    ("\"toy story", "this quotation mark is not closed\n  \"toy story\n  ^\nhint: add a \""),
    ("(toy OR up", "this parenthesis is not closed\n  (toy OR up\n  ^\nhint: add a )"),
    (
      "toy) up",
      "unmatched )\n  toy) up\n     ^\nhint: remove the ), or write \"...\" to search for it"
    ),
    ("toy ()", "the parentheses are empty\n  toy ()\n      ^\nhint: remove them"),
    ("toy AND", "AND needs something after it\n  toy AND\n         ^"),
    ("OR toy", "OR needs something before it\n  OR toy\n  ^\nhint: write \"OR\" to search for the word"),
    ("toy NOT", "NOT needs something after it\n  toy NOT\n         ^"),
    ("", "the query is empty\nhint: * finds everything"),
    ("   ", "the query is empty\nhint: * finds everything"),
  ]

  @Test func `the error of an invalid query has the position of the mistake and a hint`() throws {
    let bench = try ShellFixture()
    for (query, message) in Self.bad {
      for verb in ["search", "count"] {
        let outcome = try bench.shell.run(verb, "--", query)
        #expect(outcome.code == 2, "\(query)")
        #expect(outcome.output == "")
        #expect(outcome.errors == "followspot: \(message)\n", "\(query)")
      }
    }
  }

  private static let plain = [
    "what?", "12:30", "don't", "a: b", "x :y", "-", "- -", "--", "...", "a..b", ">5", "<", "toy!", "#1", "50%", "1.5",
    "rock'n'roll", "AT&T", "\u{0}", "\u{1b}[31m", "🎬", "and or not", "*toy", "t*y", "'", "a/b", "[x]", "{y}", "café…",
    "\\", "toy-story", "日本語", "x@y.org", "\u{202e}abc", "the", "..", "title", "é", "https://www.debian.org/pkg/zlib",
    "file:///usr/bin/env", "std::string", "emacs~", "a|b", "|",
    "!toy", "!", "before:", "from:", "--flag", "v1.2.3", "/usr/lib/libz.so.1",
  ]

  @Test func `plain words are never an error`() throws {
    let bench = try ShellFixture()
    for query in Self.plain {
      let outcome = try bench.shell.run("count", "--", query.replacing("\u{0}", with: "n"))
      #expect(outcome.code == 0, "\(query): \(outcome)")
    }
  }

  @Test func `a query of more than 4096 bytes is refused`() throws {
    let bench = try ShellFixture()
    let long = try bench.shell.run("search", String(repeating: "é", count: 2_049))
    #expect(long.code == 2)
    #expect(long.errors.hasPrefix("followspot: the query has 4098 bytes; the maximum is 4096\nhint: "))
    #expect(try bench.shell.run("count", String(repeating: "é", count: 2_048)).code == 0)
  }

  @Test func `of more than 64 words only the rarest are searched, with a message`() throws {
    let bench = try ShellFixture()
    let words = (1...70).map { "w\($0)" } + ["robot"]
    let outcome = try bench.shell.run("search", words.joined(separator: " "), "--format", "tsv", "--fields", "title")
    #expect(outcome.errors.contains("the query has 71 words, more than 64: the rarest 64 are searched"))
    let few = try bench.shell.run("search", words.suffix(64).joined(separator: " "))
    #expect(!few.errors.contains("more than 64"))
    #expect(few.output.hasSuffix("\tWALL-E\n"))
    let explicit = (1...70).map { "w\($0)" }.joined(separator: " OR ")
    #expect(try bench.shell.run("search", explicit).code == 2)
  }

  @Test func `deep nesting is refused`() throws {
    let bench = try ShellFixture()
    let query = String(repeating: "(", count: 500) + "toy" + String(repeating: ")", count: 500)
    let outcome = try bench.shell.run("search", query)
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("nested deeper than"))
    #expect(try bench.shell.run("search", String(repeating: "-", count: 900) + "toy").code <= 2)
  }

  @Test func `options that cannot be combined and invalid values are refused`() throws {
    let bench = try ShellFixture()
    for arguments in [
      ["--all", "--any", "toy"], ["-n", "x", "toy"], ["-n", "-1", "toy"], ["--offset", "x", "toy"],
      ["--format", "xml", "toy"], ["--kind", "Flim", "toy"], ["--fields", "", "toy"],
    ] {
      let outcome = try bench.shell.run(["search"] + arguments)
      #expect(outcome.code == 2, "\(arguments): \(outcome)")
      #expect(outcome.output == "")
    }
  }
}
