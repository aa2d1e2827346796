// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import TestSupport
import Testing

/// Beginnings, patterns and snippets in scripts without blanks, compared with `instr` on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct UnspacedTextTests {
  private static let pieces = ["東", "京", "展", "望", "台", "タ", "ワ", "ー", "한", "국", " ", "、", "lib", "2020"]

  private static func text(_ count: Int, _ random: inout SeededGenerator) -> String {
    (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  @Test(arguments: Rounds.seeds(3, long: 50))
  func `a beginning and a pattern find what instr finds`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var films = (0..<150).map { _ in
      (title: Self.text(Int.random(in: 1...6, using: &random), &random), plot: Optional(Self.text(12, &random)))
    }
    films += [("東京展望台", "x"), ("東京の展望", "京展"), ("展望東京", "望東")]
    let titles = try Titles(films)
    let connection = try Connection(path: titles.bench.storePath, access: .readOnly)
    // Words are adjacent whatever is between them.
    func text(_ column: String) -> String { "replace(replace(\(column), ' ', ''), '、', '')" }
    func has(_ part: String, _ columns: [String]) -> String {
      "(" + columns.map { "instr(\(text($0)), '\(part)') > 0" }.joined(separator: " OR ") + ")"
    }
    func expect(_ query: String, _ condition: String) throws {
      let rows = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
      let found = try titles.searcher.count(SearchRequest(query: query))
      #expect(found.count == Int(rows ?? -1), "seed \(seed): \(query)")
      #expect(found.notes == [], "seed \(seed): \(query)")
    }
    for part in ["東京", "東京展望", "展望", "タワー", "望台", "한국", "京2020", "ワー東"] {
      let found = has(part, ["ZTITLE", "ZPLOT"])
      for query in ["\(part)*", "*\(part)*"] { try expect(query, found) }
      // Other digits may follow.
      if part != "京2020" { try expect("*\(part)", found) }
      try expect("title:\(part)*", has(part, ["ZTITLE"]))
      try expect("plot:*\(part)*", has(part, ["ZPLOT"]))
      try expect("NOT \(part)*", "NOT \(found)")
      try expect("\(part)* OR 台展*", "\(found) OR \(has("台展", ["ZTITLE", "ZPLOT"]))")
      try expect("\"\(part)*\"", found)
    }
    try expect("京20*", has("京20", ["ZTITLE", "ZPLOT"]))
  }

  @Test func `a beginning needs two letters, and the order of the parts of a pattern is not compared`() throws {
    let titles = try Titles([("東京展望台", nil), ("展望東京", nil), ("東京", nil)])
    #expect(throws: QueryError.self) { try titles.search("東*") }
    let found = try titles.search("東京*展望")
    #expect(found.estimated == 2)
    #expect(
      found.notes == [
        "the order of the parts of 東京*展望 is not compared in a script without blanks: texts with all of them are found"
      ])
    #expect(throws: QueryError.self) { try titles.searcher.count(SearchRequest(query: "東京*展望")) }
  }

  @Test(arguments: Rounds.seeds(3, long: 50))
  func `a snippet marks the letters of the query alone, wherever they are`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let letters = ["東", "京", "タ", "ワ", "の", "は", "서", "울"]
    let plots = (0..<60).map { _ in
      let count = Int.random(in: 1...400, using: &random)
      return (0..<count).map { _ in letters.randomElement(using: &random) ?? "" }.joined() + "展望台"
        + (0..<Int.random(in: 0...200, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
        .joined()
    }
    let titles = try Titles(plots.enumerated().map { ("film \($0)", $1) })
    for query in ["展望台", "\"展望台\"", "展望台*", "*望台*", "plot:展望"] {
      let found = try titles.search(query) {
        $0.wantsSnippets = true
        $0.limit = 100
      }
      #expect(found.hits.count == plots.count)
      let wanted = query.filter { "展望台".contains($0) }
      for hit in found.hits {
        let snippet = try #require(hit.snippet, "seed \(seed): \(query)")
        let text = Array(snippet.text)
        #expect(snippet.highlights.map { String(text[$0]) } == [wanted], "seed \(seed): \(query)")
        #expect(text.count <= 160)
      }
    }
  }

  @Test func `words of several scripts are marked beside each other, and single letters alone are not`() throws {
    let plot = "望遠鏡で東京タワー (tower) の展望台から、台と展を見た。"
    let titles = try Titles([("film", plot)])
    func marked(_ query: String) throws -> [String] {
      let snippet = try #require(try titles.search(query) { $0.wantsSnippets = true }.hits.first?.snippet)
      let text = Array(snippet.text.unicodeScalars)
      return snippet.highlights.map { range in
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text[range])
        return String(view)
      }
    }
    #expect(try marked("展望台") == ["展望台"])
    #expect(try marked("東京タワー tower") == ["東京タワー", "tower"])
    #expect(try marked("展望 台") == ["展望台", "台"])
    #expect(try marked("\"tower の展望\"") == ["tower", "の展望"])
  }
}
