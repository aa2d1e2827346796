// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import TestSupport
import Testing

/// Symbols, parts of numbers and parts of compounds as words, compared with the results of SQL on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct SymbolWordTests {
  /// Words of texts, and the queries of one word that find each.
  private static let words: [(text: String, queries: [String])] = [
    ("toy", ["toy"]), ("🎉", ["🎉"]), ("wow🎉", ["wow", "🎉"]), ("❤️", ["❤", "❤️"]), ("👍🏽", ["👍", "👍🏻"]),
    ("👩‍🚀", ["👩", "🚀", "👩‍🚀"]), ("→", ["→"]), ("5€", ["5", "€", "5€"]), ("§", ["§"]), ("日🎉本", ["日", "本", "🎉"]),
    ("v18.2.0", ["v18.2.0", "18.2.0", "18.2", "18", "v18.2", "v18"]), ("18.30", ["18.30", "18"]),
    ("11.11.2010", ["11.11.2010", "11.11", "11", "2010"]), ("2010", ["2010"]), ("176,11", ["176,11", "176"]),
    ("1,234", ["1,234", "1234"]), ("6.1rc2", ["6.1rc2", "6.1", "6"]),
    ("NullPointerException", ["NullPointer", "PointerException", "nullpointer", "exception", "pointer"]),
    ("pointer", ["pointer"]), ("nodes", ["nodes"]),
  ]
  private static let queries = Set(words.flatMap(\.queries)).sorted()

  private static func condition(_ texts: [String]) -> String {
    texts.map { "(' ' || ZTITLE || ' | ' || COALESCE(ZPLOT, '') || ' ') LIKE '% \($0) %'" }.joined(separator: " OR ")
  }

  private static func condition(of query: String) -> String {
    condition(words.filter { $0.queries.contains(query) }.map(\.text))
  }

  @Test(arguments: Rounds.seeds(3, long: 50))
  func `symbols and parts of words find what SQL finds, alone, in OR, in NOT and in phrases`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in Self.words.randomElement(using: &random)?.text ?? "" }
        .joined(separator: " ")
    }
    let films = (0..<80).map { _ in (title: text(1...2), plot: Optional(text(0...3))) }
    let titles = try Titles(films)
    let connection = try Connection(path: titles.bench.storePath, access: .readOnly)
    func expect(_ query: String, _ condition: String) throws {
      let rows = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
      let count = try titles.searcher.count(SearchRequest(query: query)).count
      #expect(count == Int(rows ?? -1), "seed \(seed): \(query)")
    }
    for query in Self.queries {
      let condition = Self.condition(of: query)
      try expect(query, condition)
      try expect("NOT \(query)", "NOT (\(condition))")
      let other = Self.queries.randomElement(using: &random) ?? ""
      try expect("\(query) OR \(other)", "\(condition) OR \(Self.condition(of: other))")
    }
    for (phrase, text) in [
      ("toy 🎉", "toy 🎉"), ("→ toy", "→ toy"), ("❤ pointer", "❤️ pointer"), ("€ →", "5€ →"),
      ("toy 18.30 🎉", "toy 18.30 🎉"),
    ] {
      try expect("\"\(phrase)\"", Self.condition([text]))
    }
  }

  @Test func `the parts of a number and of a compound do not make other words`() throws {
    let titles = try Titles([("v18.2.0 1,000,000 NullPointerException 1.5", nil)])
    for absent in ["2.0", "000", "1,000", "0", "NullException", "18.2.1", "5", "🎉"] {
      #expect(try titles.searcher.count(SearchRequest(query: absent)).count == 0, "\(absent)")
    }
  }
}
