// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import TestSupport
import Testing

@testable import SearchIndex

/// Wildcards, compared with the results of SQL on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct WildcardTests {
  /// Syllables of the catalogue's words that are not prefixes of accented words.
  private static let syllables = ["ba", "di", "fu", "ga", "ha", "jo", "ki", "lo", "me", "pe", "ro", "sa"]

  private static func matches(_ start: String) -> String {
    let people = #"REPLACE(REPLACE(CAST(ZPEOPLE AS TEXT), '"name":', ''), '"', ' ')"#
    return "(' ' || ZTITLE || ' ' || COALESCE(ZPLOT, '') || ' ' || COALESCE(\(people), '')) LIKE '% \(start)%'"
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `a wildcard finds every record with such a word, alone, in OR and in NOT`(seed: Int) throws {
    let bench = try IndexedStore(seed: seed, films: 800)
    try Indexer(bench.options()).catchUp()
    // Some of the rows are in the overlay.
    try bench.insert(40)
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    let connection = try Connection(path: bench.storePath, access: .readOnly)
    func expect(_ query: String, _ condition: String) throws {
      let rows = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
      #expect(try searcher.count(SearchRequest(query: query)).count == Int(rows ?? -1), "seed \(seed): \(query)")
    }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let one = Self.syllables.randomElement(using: &random)! + Self.syllables.randomElement(using: &random)!
      let two = String(one.prefix(2)) + Self.syllables.randomElement(using: &random)!.prefix(1)
      try expect("\(one)*", Self.matches(one))
      try expect("\(two)*", Self.matches(two))
      try expect("NOT \(one)*", "NOT \(Self.matches(one))")
      try expect("\(one)* OR zzzqqq*", Self.matches(one))
      try expect("\(one)* OR \(two)*", "\(Self.matches(one)) OR \(Self.matches(two))")
      try expect("\(two)* -\(one)*", "\(Self.matches(two)) AND NOT \(Self.matches(one))")
    }
  }

  @Test func `a wildcard finds all records, however many words begin so`() throws {
    let plots = (0..<11).map { row in (0..<1_000).map { "con\(row)x\($0)" }.joined(separator: " ") }
    let titles = try Titles(plots.map { ("film", $0) } + [("other", nil)])
    let found = try titles.search("con*")
    #expect(found.notes.isEmpty && found.estimated == 11 && found.hits.count == 11)
    for (query, count) in [
      ("con*", 11), ("NOT con*", 1), ("film con*", 11), ("other -con*", 1), ("con* OR NOT con*", 12), ("con1*", 2),
      ("NOT con1*", 10), ("con*1x999", 1), ("con*x*", 11), ("other OR con*x9*", 12),
    ] {
      #expect(try titles.searcher.count(SearchRequest(query: query)).count == count, "\(query)")
      // The request of `set` and `delete`.
      #expect(try titles.search(query) { $0.mayApproximate = false }.estimated == count, "\(query)")
    }
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `the beginning of a compound finds it, with its first part in it or beyond it`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    func part() -> String {
      String((0..<Int.random(in: 1...6, using: &random)).map { _ in "abc".randomElement(using: &random)! })
    }
    let compounds = (0..<300).map { _ in (0..<Int.random(in: 1...3, using: &random)).map { _ in part() } }
    let titles = try Titles(compounds.map { ($0.joined(separator: "-"), nil) })
    for parts in compounds.prefix(60) {
      let joined = parts.joined()
      for length in 3...max(3, joined.count) where length <= joined.count {
        let start = joined.prefix(length)
        let expected = compounds.count { ($0 + [$0.joined()]).contains { $0.hasPrefix(start) } }
        for query in ["\(start)*", "title:\(start)*"] {
          #expect(try titles.searcher.count(SearchRequest(query: query)).count == expected, "seed \(seed): \(query)")
        }
      }
      // Between two parts of a pattern.
      guard let last = joined.last, joined.count >= 4 else { continue }
      let pattern = "\(joined.prefix(3))*\(last)"
      let expected = compounds.count {
        ($0 + [$0.joined()]).contains { $0.count >= 4 && $0.hasPrefix(joined.prefix(3)) && $0.last == last }
      }
      #expect(try titles.searcher.count(SearchRequest(query: pattern)).count == expected, "seed \(seed): \(pattern)")
    }
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `a beginning finds the documents of all words with it, whatever stands beside them`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let signs = [
      "-", "_", "__", ";", ".", ",", "'", "&", "/", "+", " ", "\u{200b}", "\u{feff}", "\u{300c}", "\u{65e5}",
    ]
    let parts = ["a", "ab", "abc", "abcd", "abcde", "12", "4711", "Ab", "x\u{e9}"]
    let texts = (0..<120).map { _ in
      (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (Bool.random(using: &random) ? signs.randomElement(using: &random)! : "")
          + parts.randomElement(using: &random)! + signs.randomElement(using: &random)!
      }.joined()
    }
    let titles = try Titles(texts.map { ("\($0)x", nil) })
    let serving = try #require(try titles.bench.index.serving())
    let reader = try IndexReader(path: serving.path, stemmer: "english")
    var terms: [[UInt8]] = []
    try reader.eachTerm(prefix: [], from: []) {
      terms.append(Array($0))
      return true
    }
    var documents: [String: Set<[UInt8]>] = [:]
    for term in terms {
      guard let word = DocumentLayout.word(term), !word.isStem else { continue }
      let found = try reader.search(.term(term), offset: 0, limit: 200, exactUpTo: 200, identitySlot: 1)
      let letters = word.text.prefix { $0 < 0x80 && (UInt8(ascii: "0")...UInt8(ascii: "z")).contains($0) && $0 != 0x3b }
      guard letters.count >= 3 else { continue }
      for length in 3...letters.count {
        documents[String(decoding: letters.prefix(length), as: UTF8.self), default: []]
          .formUnion(found.hits.map(\.identity))
      }
    }
    #expect(documents.count > 50)
    for (start, expected) in documents where !start.contains("_") {
      let found = try titles.searcher.count(SearchRequest(query: "\(start)*")).count
      #expect(found == expected.count, "seed \(seed): \(start)*")
    }
  }

  @Test func `phrases beyond the limit cause a note in a search, and are refused if the answer must be exact`() throws {
    let long = (0..<70).map { "w\($0)" }.joined(separator: " ")
    let titles = try Titles([("red moon", long), ("moon red", nil)])
    let reason = "the phrases of the query have more than 64 words, or words that are too frequent"
    #expect(try titles.search("\"\(long)\"").notes.contains { $0.hasPrefix(reason) })
    for query in ["NOT \"\(long)\"", "red -\"\(long)\""] {
      #expect(throws: QueryError.self) { try titles.search(query) }
    }
    let error = #expect(throws: QueryError.self) { try titles.searcher.count(SearchRequest(query: "\"\(long)\"")) }
    #expect(error?.message == reason)
    // More plain words than a search uses.
    #expect(throws: QueryError.self) { try titles.searcher.count(SearchRequest(query: long)) }
    #expect(try titles.searcher.count(SearchRequest(query: "\"red moon\"")).count == 1)
  }
}
