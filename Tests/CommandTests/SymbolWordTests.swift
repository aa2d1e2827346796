// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// The real program finds symbols, and parts of numbers and compounds.
@Suite(.overlapping, .temporaryDirectory)
struct SymbolWordTests {
  private static let titles = [
    "Party 🎉 tonight", "Thumbs👍🏽", "I ❤️ Rust", "a → b", "Costs 5€", "React v18.2.0", "Born 11.11.2010",
    "Price 176,11", "NullPointerException in main",
  ]

  @Test func `a query finds emoji, symbols, parts of numbers and parts of compounds`() throws {
    let lines = Self.titles.map { "{\"title\": \"\($0)\"}\n" }.joined()
    let bench = try ShellFixture(lines)
    for (query, title) in [
      ("🎉", 0), ("👍", 1), ("👍🏿", 1), ("❤", 2), ("❤️", 2), ("title:❤️", 2), ("→", 3), ("\"a → b\"", 3), ("€", 4),
      ("18.2.0", 5), ("18.2", 5), ("18", 5), ("2010", 6), ("176", 7), ("NullPointer", 8), ("PointerException", 8),
      ("exception", 8),
    ] {
      #expect(try bench.titles(query, "--all") == [Self.titles[title]], "\(query)")
      #expect(try bench.shell.run("count", query).output == "1\n", "\(query)")
    }
    let shown = try bench.shell.run("search", "🎉", "--snippets", "--fields", "title", "--format", "json")
    #expect(shown.code == 0 && shown.output.contains("🎉"))
    try bench.expectEqual(documents: Self.titles.count)
  }
}
