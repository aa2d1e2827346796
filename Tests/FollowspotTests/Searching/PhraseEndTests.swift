// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import TestSupport
import Testing

/// Phrases whose last word is a beginning, and `|` for OR: compared with the results of SQL on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct PhraseEndTests {
  private static let words = ["rita", "black", "blank", "blue", "zinc", "opal", "zinc-oxide", "ToyStory"]

  private static func condition(_ text: String, in columns: [String]) -> String {
    columns.map { "(' ' || replace(lower(\($0)), '-', ' ') || ' ') LIKE '% \(text)%'" }.joined(separator: " OR ")
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `a phrase with a beginning at its end, and words with a bar, find what SQL finds`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
        .joined(separator: " ")
    }
    let titles = try Titles((0..<150).map { _ in (text(1...3), text(1...5)) })
    let connection = try Connection(path: titles.bench.storePath, access: .readOnly)
    func expect(_ query: String, _ condition: String) throws {
      let rows = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
      let count = try titles.searcher.count(SearchRequest(query: query)).count
      #expect(count == Int(rows ?? -1), "seed \(seed): \(query)")
    }
    let both = ["ZTITLE", "ZPLOT"]
    for first in ["rita", "zinc", "black"] {
      for start in ["bla", "blac", "blue", "zin", "oxi", "opal", "xyz"] {
        try expect("\"\(first) \(start)*\"", Self.condition("\(first) \(start)", in: both))
        try expect("title:\"\(first) \(start)*\"", Self.condition("\(first) \(start)", in: ["ZTITLE"]))
        try expect("NOT \"\(first) \(start)*\"", "NOT (\(Self.condition("\(first) \(start)", in: both)))")
      }
    }
    try expect("\"rita zinc oxi*\"", Self.condition("rita zinc oxi", in: both))
    try expect("zinc-oxi*", Self.condition("zinc oxi", in: both))
    try expect("\"bla*\"", Self.condition("bla", in: both))
    let either = "\(Self.condition("zinc ", in: both)) OR \(Self.condition("opal ", in: both))"
    for query in [
      "zinc|opal", "zinc||opal", "zinc | opal", "zinc || opal", "zinc |opal", "zinc| opal", "(zinc | opal)",
    ] {
      try expect(query, either)
      try expect("rita AND (\(query))", "(\(Self.condition("rita ", in: both))) AND (\(either))")
    }
    try expect(
      "title:zinc | plot:opal",
      "\(Self.condition("zinc ", in: ["ZTITLE"])) OR \(Self.condition("opal ", in: ["ZPLOT"]))")
    try expect(
      "title:(zinc | opal)", "\(Self.condition("zinc ", in: ["ZTITLE"])) OR \(Self.condition("opal ", in: ["ZTITLE"]))")
    // Without a word on the other side, a bar means nothing.
    for query in ["zinc |", "| zinc", "|| zinc ||", "(zinc |)"] { try expect(query, Self.condition("zinc ", in: both)) }
  }

  @Test func `a beginning in a phrase has three letters, and a bar is refused where records change`() throws {
    let titles = try Titles([("Rita Black", "apache|nginx")])
    #expect(throws: QueryError.self) { try titles.search("\"rita b*\"") }
    for query in ["rita | black", "rita|black"] {
      #expect(throws: QueryError.self) { try titles.search(query) { $0.isStrict = true } }
    }
    #expect(try titles.search("\"rita *\"").hits.count == 1)
    #expect(try titles.search("\"apache|nginx\"") { $0.isStrict = true }.hits.count == 1)
    let snippet = try titles.search("\"rita bla*\"") { $0.wantsSnippets = true }.hits[0].snippet
    #expect(snippet?.highlights == [0..<4, 5..<10])
  }

  @Test func `a phrase whose last word may be very many is searched anywhere, with a note`() throws {
    let plots = (0..<5).map { row in (0..<500).map { "con\(row)x\($0)" }.joined(separator: " ") }
    let titles = try Titles(plots.map { ("film", "red \($0) moon con") } + [("other", "con red con1x7")])
    #expect(try titles.search("\"red con0x*\"").estimated == 1)
    #expect(try titles.search("\"red con1x7*\"").hits.map(\.title) == ["other"])
    let found = try titles.search("\"moon con*\"")
    #expect(
      found.estimated == 5 && found.notes.contains { $0.contains("words of further phrases are searched anywhere") })
    #expect(throws: QueryError.self) { try titles.searcher.count(SearchRequest(query: "\"moon con*\"")) }
  }
}
