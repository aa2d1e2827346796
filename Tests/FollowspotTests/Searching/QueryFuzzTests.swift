// SPDX-License-Identifier: MIT

import Base
import Followspot
import TestSupport
import Testing

@testable import SearchIndex

/// Random queries: each is answered or refused with a query error.
@Suite(.overlapping, .temporaryDirectory)
struct QueryFuzzTests {
  private static let pieces = [
    "AND", "OR", "NOT", "NEAR", "NEAR/3", "NEAR/0", "NEAR/x", "(", ")", "-", "\"", "*", " ", " ", " ", "a", "ba", "co",
    "baco", "bac*", "xyzzyx", "title:", "plot:", "year:", "rating:>", "released:", "genres:", "people.name:", "people.",
    "kind:Film", "is:favorite", "has:", "has:plot", "changed:", "author:", "tx:", "@tx:", "..", ">=", "<", ":", "1995",
    "2d", "last-week", "9999-12", "1e308", "2.5M", "1h30m", "4KiB", "é", "ü", "東京", "c++", "wall-e", "o'b", "user_name",
    "ToyStory",
    "\u{301}", "\u{0}", "\n", "\u{200d}", "🎬", "x.y:", "@", "_", "'", "\u{2019}", "/", ",", "\u{ad}", "\u{202e}",
  ]

  /// Random bytes, random parts of the query language, or one repeated word.
  private static func query(_ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let count = Int.random(in: 0...400, using: &random)
      return String(decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
    case 1:
      let piece = pieces.randomElement(using: &random) ?? ""
      return String(repeating: piece + " ", count: Int.random(in: 1...300, using: &random))
    default:
      let count = Int.random(in: 0...60, using: &random)
      return (0..<count).map { _ in
        (pieces.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? " " : "")
      }
      .joined()
    }
  }

  @Test(arguments: Rounds.seeds(2, long: 40))
  func `every text is answered or refused with a query error`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let bench = try IndexedStore(seed: seed, films: 300)
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    for _ in 0..<Rounds.count(150, long: 2_000) {
      var request = SearchRequest(query: Self.query(&random))
      request.isLiteral = Int.random(in: 0..<5, using: &random) == 0
      request.words = [.widening, .all, .any].randomElement(using: &random) ?? .all
      do {
        let result = try searcher.search(request)
        #expect(result.hits.count <= 20)
        #expect(result.estimated >= result.hits.count)
        if let corrected = result.corrected { #expect(corrected != request.query) }
      } catch let error as QueryError {
        #expect((0...request.query.count).contains(error.offset ?? 0))
      } catch {
        Issue.record("seed \(seed), \(request.query.debugDescription): \(error)")
      }
    }
  }
}
