// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct SearcherTests {
  /// Films with these titles and nothing else, indexed.
  private func fixture(_ titles: [String]) throws -> (IndexedStore, Searcher) {
    let directory = TemporaryDirectory()
    let bench = try IndexedStore(in: directory, seed: 1)
    try bench.store.save { save in
      for title in titles {
        try save.insert(bench.film, [.text(title)] + [Value?](repeating: .null, count: 9))
      }
    }
    try Indexer(bench.options()).catchUp()
    return try (bench, Searcher(storePath: bench.storePath, directory: bench.index))
  }

  private func titles(_ searcher: Searcher, _ query: String, _ change: (inout SearchRequest) -> Void = { _ in }) throws
    -> (titles: [String], result: SearchResult)
  {
    var request = SearchRequest(query: query)
    change(&request)
    let result = try searcher.search(request)
    return (result.hits.map(\.title), result)
  }

  @Test(arguments: [(4, true), (5, false), (6, false)])
  func `a query is widened if fewer than five records have all words`(full: Int, isWidened: Bool) throws {
    let (_, searcher) = try fixture((0..<full).map { "red moon \($0)" } + ["red sun", "blue moon"])
    let found = try titles(searcher, "red moon")
    #expect(found.result.isWidened == isWidened)
    #expect(found.titles.count == (isWidened ? full + 2 : full))
    #expect(found.titles.prefix(full).allSatisfy { $0.hasPrefix("red moon") })
    // The page is a part of the same result list.
    let few = try titles(searcher, "red moon") { $0.limit = 4 }
    #expect(few.result.isWidened == isWidened)
    #expect(few.titles == Array(found.titles.prefix(4)))
  }

  @Test func `a query of more than four plain words is widened, and stop words count`() throws {
    let (_, searcher) = try fixture((0..<6).map { "red moon over water \($0)" } + ["red"])
    #expect(try titles(searcher, "red moon over water").result.isWidened == false)
    #expect(try titles(searcher, "red moon over the water").result.isWidened)
  }

  @Test func `required words stay required, and queries with operators are not widened`() throws {
    let (_, searcher) = try fixture(["red moon", "red sun", "blue moon"])
    #expect(try titles(searcher, "red moon -sun").titles == ["red moon", "blue moon"])
    #expect(try titles(searcher, "red moon title:blue").titles == ["blue moon"])
    #expect(try titles(searcher, "red AND moon").titles == ["red moon"])
    #expect(try titles(searcher, "red moon") { $0.words = .all }.titles == ["red moon"])
  }

  @Test func `stop words are dropped while another word remains`() throws {
    let (_, searcher) = try fixture(["Up", "The Who", "Growing up", "Red"])
    #expect(try titles(searcher, "up").titles.sorted() == ["Growing up", "Up"])
    #expect(try titles(searcher, "the red").titles == ["Red"])
    #expect(try titles(searcher, "the who").titles == ["The Who"])
  }

  @Test func `a longer query keeps the rarest 64 words, with a note`() throws {
    let (_, searcher) = try fixture(["common rare", "common"])
    let query = (["common", "rare"] + (0..<70).map { "absent\($0)" }).joined(separator: " ")
    let found = try titles(searcher, query)
    #expect(found.titles == ["common rare", "common"])
    #expect(
      found.result.notes == [
        "the query has 72 words, more than 64: the rarest 64 are searched",
        "no record has the words 'absent0', 'absent1', 'absent2', 'absent3' and 66 more",
      ])
  }

  @Test func `beyond the overlay's limits changed rows are marked, deleted ones are omitted, and pages are full`()
    throws
  {
    let (bench, searcher) = try fixture((1...6).map { "moon \($0)" })
    try bench.store.save { save in
      try save.delete(bench.film, key: 1)
      try save.update(bench.film, key: 2, [(attribute: 0, value: .text("sun 2"))])
    }
    func few(_ request: inout SearchRequest) { request.overlayLimits.changes = 1 }
    let found = try titles(searcher, "moon") {
      $0.limit = 5
      few(&$0)
    }
    // The current title is used.
    #expect(found.titles == ["moon 3", "moon 4", "moon 5", "moon 6", "sun 2"])
    #expect(found.result.hits.map(\.freshness) == [.indexed, .indexed, .indexed, .indexed, .changed])
    #expect(found.result.notes == ["1 transaction behind"])
    #expect(found.result.index.lagTransactions == 1)
    #expect(found.result.index.answersAt == 1)
    var counting = SearchRequest(query: "moon")
    few(&counting)
    // As many as a search lists.
    #expect(try searcher.count(counting).count == 5)
    #expect(try searcher.count(SearchRequest(query: "moon")).count == 4)
  }

  @Test func `a searcher switches to a new generation`() throws {
    let (bench, searcher) = try fixture(["moon"])
    #expect(try titles(searcher, "moon").result.index.generation == 1)
    try bench.store.save { save in try save.update(bench.film, key: 1, [(attribute: 0, value: .text("sun"))]) }
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    let found = try titles(searcher, "sun")
    #expect(found.titles == ["sun"])
    #expect(found.result.index.generation == 2)
  }

  @Test func `a phrase is found if one field contains it, and ranked by the weight of this field`() throws {
    let (bench, _) = try fixture(["red moon"] + (0..<20).map { "blue sun \($0)" })
    try bench.store.save { save in
      for (title, plot) in [("a", "red moon"), ("red", "moon"), ("red moon rising", ""), ("moon red", "red")] {
        try save.insert(bench.film, [.text(title), .text(plot)] + [Value?](repeating: .null, count: 8))
      }
    }
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    #expect(try titles(searcher, "\"red moon\"").titles == ["red moon", "red moon rising", "a"])
    #expect(try titles(searcher, "red-moon").titles == ["red moon", "red moon rising", "a"])
    #expect(try titles(searcher, "plot:\"red moon\"").titles == ["a"])
  }

  @Test(arguments: ["kind:film moon", "moon"])
  func `kinds are found without regard to case`(query: String) throws {
    let (_, searcher) = try fixture(["moon"])
    #expect(try titles(searcher, query) { $0.kinds = ["FILM"] }.titles == ["moon"])
    #expect(throws: OperationError.self) { try titles(searcher, query) { $0.kinds = ["Movie"] } }
  }
}
