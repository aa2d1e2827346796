// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Output on a terminal: columns, colour and the pager. `script` simulates the terminal.
@Suite(
  .overlapping, .temporaryDirectory,
  .enabled(if: Terminal.isThere, "terminals are not shown: there is no \(Terminal.script)"))
struct TerminalTests {
  private static let films = #"""
    {"title": "Toy Story", "genres": ["Animated", "Comedy"]}
    {"title": "千と千尋の神隠し", "genres": ["アニメ"]}
    {"title": "Party 🎉 👨‍👩‍👧", "genres": []}

    """#

  @Test func `columns are aligned by their displayed width`() throws {
    let bench = try ShellFixture(Self.films)
    let lines = try Terminal.lines(bench, "$F search '*' --color never 2>/dev/null")
    #expect(
      lines == [
        "Toy Story         Film/p1", "千と千尋の神隠し  Film/p2", "Party 🎉 👨‍👩‍👧       Film/p3",
      ])
    let narrow = try Terminal.lines(
      bench, "$F search '*' --fields title,genres,@id --color never 2>/dev/null", columns: 32)
    #expect(
      narrow == [
        "title       genres       @id", "Toy Story   Animated; …  Film/p1", "千と千尋…   アニメ       Film/p2",
        "Party 🎉 …               Film/p3",
      ])
  }

  @Test(arguments: [40, 60, 80])
  func `help is wrapped between words, and its columns stay aligned`(_ columns: Int) throws {
    let bench = ShellFixture.empty()
    for topic in ["", "search", "import", "index", "query", "help"] {
      let plain = try bench.shell.run(["help"] + (topic.isEmpty ? [] : [topic])).output
      let lines = try Terminal.lines(bench, "$F help \(topic) 2>/dev/null", columns: columns)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(topic)")
      let words = plain.split(whereSeparator: \.isWhitespace)
      // Only a word that is wider than a line is broken.
      #expect(words.allSatisfy { $0.count < columns - 8 })
      #expect(lines.flatMap { $0.split(separator: " ") } == words, "\(topic)")
    }
    let shown = try Terminal.lines(bench, "$F help count 2>/dev/null", columns: columns)
    let number = try #require(shown.firstIndex { $0.hasPrefix("  --by FIELD") })
    let column = columns == 40 ? 6 : 22
    #expect(shown[number + 1].prefix { $0 == " " }.count == column, "\(shown)")
    #expect(try Terminal.lines(bench, "$F count --help 2>/dev/null", columns: columns) == shown)
  }

  @Test func `colour is used on terminals that support it, or if --color requests it`() throws {
    let bench = try ShellFixture(Self.films)
    let plain = "Toy Story  Film/p1"
    let styled = "\u{1b}[1mToy Story\u{1b}[0m  \u{1b}[2mFilm/p1\u{1b}[0m"
    func shown(_ options: String, _ environment: [String: String] = [:]) throws -> String {
      let environment = environment.merging(["FOLLOWSPOT_PAGER": ""]) { $1 }
      return try Terminal.lines(bench, "$F search '*' -n 1 \(options) 2>/dev/null", environment: environment)[0]
    }
    #expect(try shown("") == styled)
    #expect(try shown("", ["NO_COLOR": "1"]) == plain)
    #expect(try shown("", ["NO_COLOR": ""]) == styled)
    #expect(try shown("", ["TERM": "dumb"]) == plain)
    #expect(try shown("--color never") == plain)
    #expect(try shown("--color always", ["NO_COLOR": "1"]) == styled)
  }

  @Test(arguments: [
    (["FOLLOWSPOT_PAGER": "sed s/^/P:/"], "P:", "code 0"), (["PAGER": "sed s/^/Q:/"], "Q:", "code 0"),
    (["PAGER": "sed s/^/Q:/", "FOLLOWSPOT_PAGER": "sed s/^/P:/"], "P:", "code 0"),
    (["PAGER": "sed s/^/Q:/", "FOLLOWSPOT_PAGER": ""], "", "code 0"), (["PAGER": "cat"], "", "code 0"),
    (["PAGER": "no-such-program"], "", "code 0"), (["FOLLOWSPOT_PAGER": "sed s/^/P:/; exit 9"], "P:", "code 0"),
    (["FOLLOWSPOT_PAGER": "sed s/^/P:/", "TERM": "dumb"], "", "code 0"),
  ])
  func `the environment names the pager`(
    _ environment: [String: String], _ mark: String, _ code: String
  ) throws {
    let bench = try ShellFixture(Self.films)
    let environment = environment.merging(["NO_COLOR": "1"]) { $1 }
    let lines = try Terminal.lines(bench, "$F search '*' -n 1 2>/dev/null; echo code $?", environment: environment)
    #expect(lines == [mark + "Toy Story  Film/p1", code])
    let unpaged = try Terminal.lines(
      bench, "$F search '*' -n 1 --no-pager 2>/dev/null; echo code $?", environment: environment)
    #expect(unpaged == ["Toy Story  Film/p1", "code 0"])
  }

  @Test func `the exit code is the program's own, even if the user quits the pager early`() throws {
    let many = (0..<20_000).map { #"{"title": "film \#($0)"}"# }.joined(separator: "\n")
    let bench = try ShellFixture(many)
    let pager = ["FOLLOWSPOT_PAGER": "head -n 1", "NO_COLOR": "1"]
    let left = try Terminal.lines(bench, "$F search '*' -n 0 2>/dev/null; echo code $?", environment: pager)
    #expect(left == ["film 0      Film/p1", "code 0"])
    // Without output, no pager is started.
    let nothing = try Terminal.lines(
      bench, "$F search nowhere 2>/dev/null; echo code $?", environment: ["FOLLOWSPOT_PAGER": "echo pager"])
    #expect(nothing == ["code 1"])
    let wrong = try Terminal.lines(
      bench, "$F search 'year:('; echo code $?", environment: ["FOLLOWSPOT_PAGER": "echo pager"])
    #expect(wrong.last == "code 2")
    #expect(!wrong.contains("pager"))
  }

  @Test func `messages are printed after the pager ends`() throws {
    let bench = try ShellFixture(Self.films)
    let lines = try Terminal.lines(
      bench, "$F search '*' -n 1", environment: ["FOLLOWSPOT_PAGER": "cat; echo left", "NO_COLOR": "1"])
    #expect(lines.count == 4)
    #expect(lines.prefix(2) == ["Toy Story  Film/p1", "left"])
    #expect(lines[2].wholeMatch(of: /1 of 3 records in \d+ ms, up to date/) != nil, "\(lines)")
    #expect(lines[3] == "Next page: --offset 1")
  }

  private static let long = #"""
    {"title": "Moon", "plot": "A lonely miner on the far side of the moon finds that he is not alone, and that the moon has kept a secret from him.", "kind": "moon"}
    {"title": "The Far Side of the Moon and of Everything Else", "plot": "Nothing.", "kind": "x"}

    """#

  @Test func `a snippet is wrapped between words and does not repeat the title`() throws {
    let bench = try ShellFixture(Self.long)
    let lines = try Terminal.lines(bench, "$F search moon --color never 2>/dev/null", columns: 40)
    #expect(
      lines == [
        "Moon                             Film/p1", "    A lonely miner on the far side of",
        "    the moon finds that he is not alone,", "    and that the moon has kept a secret", "    from him.",
        "The Far Side of the Moon and o…  Film/p2",
      ])
    let marked = try Terminal.lines(bench, "$F search moon -n 1 2>/dev/null", columns: 40)
    #expect(marked[2] == "    the \u{1b}[1mmoon\u{1b}[0m finds that he is not alone,")
    // If the columns do not show the title, it can be the snippet.
    let fields = try Terminal.lines(
      bench, "$F search 'title:everything' --fields @id --snippets --color never 2>/dev/null", columns: 80)
    #expect(fields == ["@id", "Film/p2", "    The Far Side of the Moon and of Everything Else"])
  }

  @Test func `one table has all sections, and scores are shown only on request`() throws {
    let bench = try ShellFixture(Self.films)
    try bench.importRecords(#"{"name": "Toy Story Studios"}"#, options: ["--kind", "Studio"])
    #expect(try bench.shell.run("index").code == 0)
    let lines = try Terminal.lines(bench, "$F search toy --color never 2>/dev/null")
    #expect(lines == ["Film", "  Toy Story          Film/p1", "Studio", "  Toy Story Studios  Studio/p1"])
    let scored = try Terminal.lines(bench, "$F search toy --scores --color never 2>/dev/null")
    #expect(scored.count == 4)
    for line in [scored[1], scored[3]] {
      #expect(line.wholeMatch(of: /\s+Toy Story[^.]*\/p1 +\d+\.\d{3}/) != nil, "\(line)")
    }
    let fields = try Terminal.lines(bench, "$F search toy --scores --fields title --color never 2>/dev/null")
    #expect(fields.first?.wholeMatch(of: /\s+title +@score/) != nil, "\(fields)")
  }

  @Test func `a footer on a terminal has the number of hits, the age of the answer, and the command for the next page`()
    throws
  {
    let bench = try ShellFixture(Self.films)
    func footer(_ options: String) throws -> [String] {
      try Terminal.lines(bench, "$F search \(options) --color never").filter { !$0.contains("Film/") }
        .map { $0.replacing(/\d+ ms/, with: "N ms").replacing(/\d+ seconds?/, with: "N seconds") }
    }
    #expect(try footer("'*'") == ["3 records in N ms, up to date"])
    #expect(try footer("'*' -n 2") == ["2 of 3 records in N ms, up to date", "Next page: --offset 2"])
    #expect(
      try footer("'*' -n 1 --offset 1") == ["record 2 of 3 in N ms, up to date", "Next page: --offset 2"])
    #expect(try footer("'*' -n 2 --offset 1") == ["records 2 to 3 of 3 in N ms, up to date"])
    _ = try bench.shell.run("set", "Film/p1", "title=Toys")
    #expect(try footer("'*'") == ["3 records in N ms, up to date"])
    #expect(
      try footer("'*' --index-only") == ["followspot: 1 transaction behind", "3 records in N ms, as of N seconds ago"])
  }
}
