// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `history`: transactions and changes in every format.
@Suite(.overlapping, .temporaryDirectory)
struct HistoryTests {
  /// Three transactions: two inserts, an update, a delete with a tombstone.
  private func fixture() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let lines = "{\"code\":\"a\",\"n\":1}\n{\"code\":\"b\",\"n\":2}\n"
    _ = try bench.importRecords(lines, options: ["--kind", "T", "--key", "code", "--author", "first"])
    _ = try bench.shell.run("set", "T/p1", "n=5", "--author", "second")
    _ = try bench.shell.run("delete", "T/p2")
    return bench
  }

  private static let transactions = [
    #"{"number":1,"timestamp":"TIME","author":"first","bundle":"followspot","process":"followspot","changes":["#
      + #"{"change":"insert","id":"x-coredata://UUID/T/p1","title":"a","updated":[]},"#
      + #"{"change":"insert","id":"x-coredata://UUID/T/p2","title":"b","updated":[]}]}"#,
    #"{"number":2,"timestamp":"TIME","author":"second","bundle":"followspot","process":"followspot","changes":["#
      + #"{"change":"update","id":"x-coredata://UUID/T/p1","title":"a","updated":["n"]}]}"#,
    #"{"number":3,"timestamp":"TIME","author":null,"bundle":"followspot","process":"followspot","changes":["#
      + #"{"change":"delete","id":"x-coredata://UUID/T/p2","title":"b","updated":[],"tombstone":{"code":"b"}}]}"#,
  ]

  @Test func `NDJSON has one transaction a line, oldest first`() throws {
    let bench = try fixture()
    let outcome = try bench.shell.run("history", "list", "--format", "ndjson")
    #expect(neutral(outcome.output) == Self.transactions.map { $0 + "\n" }.joined())
  }

  @Test func `JSON contains all transactions`() throws {
    let bench = try fixture()
    let outcome = try bench.shell.run("history", "--format", "json")
    let expected = "{\"format\":2,\"transactions\":[" + Self.transactions.joined(separator: ",") + "]}\n"
    #expect(neutral(outcome.output) == expected)
    let none = try bench.shell.run("history", "--format", "json", "--after", "3")
    #expect(none.output == "{\"format\":2,\"transactions\":[]}\n")
  }

  @Test func `TSV has one change a line`() throws {
    let bench = try fixture()
    let outcome = try bench.shell.run("history", "--format", "tsv")
    #expect(
      neutral(outcome.output) == """
        1\tTIME\tfirst\tinsert\tx-coredata://UUID/T/p1\ta
        1\tTIME\tfirst\tinsert\tx-coredata://UUID/T/p2\tb
        2\tTIME\tsecond\tupdate\tx-coredata://UUID/T/p1\ta
        3\tTIME\t\tdelete\tx-coredata://UUID/T/p2\tb

        """)
  }

  @Test func `text describes transactions in sentences`() throws {
    let bench = try fixture()
    let outcome = try bench.shell.run("history")
    #expect(
      neutral(outcome.output) == """
        transaction 1  TIME by first
          insert  T/p1
          insert  T/p2
        transaction 2  TIME by second
          update  T/p1  n
        transaction 3  TIME
          delete  T/p2

        """)
  }

  @Test(.enabled(if: Terminal.isThere, "there is no \(Terminal.script)"))
  func `a terminal shows the newest transaction first, with titles`() throws {
    let bench = try ShellFixture.preservedFilms()
    try bench.shell.run("set", "Film/p3", "year:=2010", "title=Up \u{1b}[31m\u{202e}", "--author", "ann")
    try bench.shell.run("delete", "Film/p1", "Film/p4", "--yes")
    let films = (1...12).map { "{\"slug\": \"\($0)\", \"title\": \"Film \($0)\", \"year\": 2000}\n" }.joined()
    _ = try bench.importRecords(films, options: ["--kind", "Film", "--key", "slug"])
    let newest = try bench.newest()
    func shown(_ options: String, columns: Int = 80) throws -> [String] {
      try Terminal.lines(bench, "$F history \(options) --color never 2>/dev/null", columns: columns)
        .map { $0.replacing(/just now|\d+ seconds? ago/, with: "TIME") }
    }
    let added =
      ["Transaction \(newest) · 12 inserted · Film · TIME"] + (1...10).map { "  + Film \($0)  Film/p\($0 + 4)" }
      + ["  and 2 more"]
    let changes = [
      "Transaction \(newest - 1) · 2 deleted · Film · TIME", "  - Toy Story  Film/p1", "  - Cars  Film/p4",
      "Transaction \(newest - 2) · 1 updated · Film · by ann · TIME",
      #"  ~ Up \u{1B}[31m\u{202E}  Film/p3  title, year"#,
      "Transaction \(newest - 3) · 4 inserted · Film · by importer · TIME", "  + Toy Story  Film/p1",
      "  + Toy Story 2  Film/p2", #"  + Up \u{1B}[31m\u{202E}  Film/p3"#, "  + Cars  Film/p4",
    ]
    #expect(try shown("-n 4") == added + changes)
    #expect(try shown("-n 1") == added)
    #expect(try shown("--author ann") == Array(changes[3...4]))
    // After a token, the order is that of the other formats.
    #expect(try shown("--after \(newest - 3) -n 2") == Array(changes[3...4] + changes[0...2]))
    #expect(try shown("-n 1", columns: 1).first == "Transact")
    let colored = try Terminal.lines(bench, "$F history -n 2 2>/dev/null")
    #expect(colored.contains("  \u{1b}[32m+\u{1b}[0m Film 1  Film/p5"), "\(colored)")
    #expect(colored.contains("  \u{1b}[31m-\u{1b}[0m Cars  Film/p4"), "\(colored)")
    try FileManager.default.removeItem(atPath: bench.index)
    #expect(try shown("-n 4") == added + changes)
  }

  @Test(arguments: [
    (["--after", "1"], [2, 3]), (["--after", "3"], []), (["-n", "2"], [1, 2]), (["--after", "1", "-n", "1"], [2]),
    (["--author", "second"], [2]), (["--author", "nobody"], []), (["--kind", "t"], [1, 2, 3]),
    (["-n", "0"], [1, 2, 3]),
    (["--author", "first", "--after", "1"], []),
  ])
  func `options select transactions by token, author, kind and number`(_ options: [String], _ numbers: [Int]) throws {
    let bench = try fixture()
    let outcome = try bench.shell.run(["history", "--format", "ndjson"] + options)
    let expected = numbers.map { Self.transactions[$0 - 1] + "\n" }.joined()
    #expect(neutral(outcome.output) == expected)
    #expect(outcome.code == (numbers.isEmpty ? 1 : 0))
  }

  @Test func `an unknown kind is refused`() throws {
    let bench = try fixture()
    let outcome = try bench.shell.run("history", "--kind", "Other")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("the store has no entity Other; it has T"))
  }

  @Test func `names of authors cannot control a terminal`() throws {
    let bench = try fixture()
    _ = try bench.shell.run("set", "T/p1", "n=6", "--author", "\u{1b}[31mred\tor\nnot")
    for format in ["text", "tsv"] {
      let output = try bench.shell.run("history", "--after", "3", "--format", format).output
      #expect(output.contains("\\u{1B}[31mred or not"))
      #expect(!output.contains("\u{1b}"))
    }
  }
}
