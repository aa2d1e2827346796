// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// The two stages of ranking.
@Suite(.overlapping, .temporaryDirectory)
struct RankingTests {
  private let directory = TemporaryDirectory()

  private static let films: [(title: String, plot: String?)] = [
    ("Disco Godfather", "godfather godfather godfather godfather of the disco"),
    ("The Godfather", "The ageing head of a crime family hands his empire to his son, who did not want it."),
    ("The Godfather Part II", nil), ("The Man", nil), ("The Man with Two Brains", nil),
    ("Other Man", "A man with men."),
    ("WALL-E", nil), ("Wall Street", nil), ("Stars and War", nil), ("War of the Stars", nil), ("Star Wars", nil),
    ("Universal Soldier", nil), ("A Universe of Soldiers", nil),
  ]

  @Test(arguments: [
    ("godfather", ["The Godfather", "Disco Godfather", "The Godfather Part II"]),
    ("the godfather", ["The Godfather", "The Godfather Part II", "Disco Godfather"]),
    ("man with", ["The Man with Two Brains"]), ("the man", ["The Man", "The Man with Two Brains"]),
    ("star wars", ["Star Wars"]), ("walle", ["WALL-E"]), ("wall e", ["WALL-E"]),
    ("universal soldier", ["Universal Soldier", "A Universe of Soldiers"]),
    ("\"star wars\"", ["Star Wars"]), ("\"man with\"", ["The Man with Two Brains", "Other Man"]),
  ])
  func `records whose title matches the query come first`(query: String, titled: [String]) throws {
    let titles = try Titles(Self.films)
    #expect(Array(try titles.search(query).hits.map(\.title).prefix(titled.count)) == titled)
  }

  /// Inserts films with a cast.
  private func makeCast(_ films: [(String, [String])]) throws -> Titles {
    let directory = TemporaryDirectory()
    let bench = try IndexedStore(in: directory, seed: 1)
    try bench.store.save { save in
      for (title, cast) in films {
        var values = [Value?](repeating: .null, count: 10)
        values[0] = .text(title)
        values[6] = .blob(Array("[\(cast.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
        try save.insert(bench.film, values)
      }
    }
    try Indexer(bench.options()).catchUp()
    return try Titles(bench)
  }

  @Test func `a match of a whole item ranks above a part of one item, and that above words of several items`() throws {
    let films = [
      ("One", ["Tom Allen", "Tim Hanks"]), ("Two", ["Tom Hanks Junior"]), ("Three", ["Tim Allen", "Tom Hanks"]),
      ("Four", ["Colonel Tom Hanks"]),
    ]
    let titles = try makeCast(films)
    #expect(try titles.search("tom hanks").hits.map(\.title) == ["Three", "Four", "Two", "One"])
  }

  @Test func `whole titles and items outside the first candidates are found, and pages are parts of one list`() throws {
    // The first stage ranks all other films above the last one, whose title equals the query.
    var films: [(String, [String])] = (0..<300).map { ("film \($0)", ["red moon", "red", "moon", "red \($0) moon"]) }
    films += [("Red Moon", (0..<60).map { "other \($0)" })]
    let titles = try makeCast(films)
    let whole = try titles.search("red moon") { $0.limit = nil }.hits
    #expect(whole.count == 301)
    #expect(whole.first?.title == "Red Moon")
    #expect(whole.map(\.score) == whole.map(\.score).sorted(by: >))
    for size in [1, 7, 50, 150, 199, 200, 201, 260] {
      let pages = try stride(from: 0, to: 302, by: size).flatMap { offset in
        try titles.search("red moon") { ($0.limit, $0.offset) = (size, offset) }.hits
      }
      #expect(pages.map(\.identifier) == whole.map(\.identifier), "pages of \(size)")
    }
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 100))
  func `hits of an overlay are ranked like indexed ones, and explanations add up to the score`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 300)
    try Indexer(bench.options()).catchUp()
    try bench.insert(60)
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    var random = SeededGenerator(seed: seed)
    let queries = (0..<12).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).map { _ in bench.catalogue.word() }.joined(separator: " ")
    }
    func hits(_ query: String) throws -> [Hit] {
      var request = SearchRequest(query: query)
      (request.limit, request.mayApproximate) = (nil, false)
      return try searcher.search(request).hits
    }
    let overlaid = try queries.map(hits)
    for (query, found) in zip(queries, overlaid) {
      for hit in found.prefix(10) {
        var request = SearchRequest(query: query)
        request.mayApproximate = false
        let explained = try #require(try searcher.explain(hit.identifier, request))
        #expect(abs(explained.score - hit.score) < 1e-6, "seed \(seed): \(query), \(hit.identifier.short)")
        let sum = explained.parts.reduce(0) { $0 + $1.score }
        #expect(abs(sum - hit.score) < 1e-6, "seed \(seed): \(query), \(hit.identifier.short)")
      }
    }
    try Indexer(bench.options()).catchUp()
    for (query, found) in zip(queries, overlaid) {
      #expect(try hits(query).map(\.identifier) == found.map(\.identifier), "seed \(seed): \(query)")
    }
  }

  @Test func `a repeated word counts as often as it is typed`() throws {
    let titles = try Titles([("x", "red red red blue"), ("y", "red blue blue blue")])
    #expect(try titles.search("red red blue").hits.map(\.title) == ["x", "y"])
    #expect(try titles.search("red blue blue").hits.map(\.title) == ["y", "x"])
    #expect(try titles.search("red red").isWidenedOrEmpty == false)
  }
}

extension SearchResult {
  fileprivate var isWidenedOrEmpty: Bool { isWidened || hits.isEmpty }
}
