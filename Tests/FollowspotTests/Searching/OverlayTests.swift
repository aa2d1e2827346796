// SPDX-License-Identifier: MIT

import Dispatch
import SQLite
import Store
import Synchronization
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Answers from an index that lags, with an overlay, equal answers from a current index.
@Suite(.overlapping, .temporaryDirectory)
struct OverlayTests {
  /// The contents of an answer, without its order, which depends on statistics.
  private struct Content: Equatable {
    var rows: [String] = []
    var count = 0
    var isWidened = false
  }

  private func content(_ searcher: Searcher, _ query: String) throws -> (Content, [String: Hit.Freshness]) {
    var request = SearchRequest(query: query)
    request.limit = nil
    request.mayApproximate = false
    request.overlayLimits.milliseconds = 1_000_000
    let result = try searcher.search(request)
    let count = try searcher.count(request)
    for note in result.notes + count.notes {
      #expect(note.hasPrefix("no record has the word"), "\(query): \(note)")
      for word in note.matches(of: /'([^']+)'/) {
        var named = request
        named.query = String(word.output.1)
        #expect(try searcher.count(named).count == 0, "\(query): \(note)")
      }
    }
    let lag = try #require(result.index.lagTransactions)
    #expect(result.index.answersAt == result.index.token + lag)
    let rows = result.hits.map { "\($0.identifier.short) \($0.values)" }.sorted()
    let freshness = result.hits.map { ($0.identifier.short, $0.freshness) }
    return (
      Content(rows: rows, count: count.count, isWidened: result.isWidened), Dictionary(uniqueKeysWithValues: freshness)
    )
  }

  private func queries(_ bench: IndexedStore) -> [String] {
    var queries = ["*", "year:1950..1990", "rating:>5", "is:favorite", "genres:comedy", "-genres:drama", "kind:film"]
    for _ in 0..<12 {
      let film = bench.catalogue.film()
      guard case .text(let title) = film[0] ?? .null else { continue }
      let words = title.split(separator: " ").map(String.init)
      queries += [words[0], "title:" + words[0], "\"" + title + "\"", words.joined(separator: " OR "), title]
      if words[0].count >= 3 { queries.append(String(words[0].prefix(3)) + "*") }
    }
    return queries
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 200))
  func `changes that are not indexed yet are found, counted and hidden as if they were`(seed: Int) throws {
    let bench = try IndexedStore(seed: seed, films: 60)
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    for _ in 0..<3 {
      let token = try bench.store.newest()
      for _ in 0..<bench.catalogue.number(1...6) { try bench.saveRandomly() }
      let touched = try bench.store.changedRows(after: token)
      let queries = queries(bench)
      let before = try queries.map { try content(searcher, $0) }
      for (_, freshness) in before {
        for (name, freshness) in freshness {
          let isTouched = touched.contains { "Film/p\($0.key)" == name }
          #expect(freshness == (isTouched ? .overlay : .indexed), "\(name), seed \(seed)")
        }
      }
      try Indexer(bench.options()).catchUp()
      for (query, before) in zip(queries, before) {
        let after = try content(searcher, query)
        #expect(before.0 == after.0, "\(query), seed \(seed)")
        #expect(after.1.values.allSatisfy { $0 == .indexed })
      }
    }
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 200))
  func `the owners of changed rows are updated in the overlay too`(seed: Int) throws {
    let bench = try RelatedCatalogue(seed: seed)
    for _ in 0..<10 { try bench.saveRandomly() }
    try Indexer(bench.options()).catchUp()
    let words = ["toy", "story", "bug", "life", "monster", "nemo", "fish", "car", "rat", "wall", "brave", "soul"]
    let queries =
      words + words.flatMap { ["studio:\($0)", "sequel:\($0)", "friend:\($0)", "film:\($0)", "owner:\($0)"] } + ["*"]
    for _ in 0..<4 {
      for _ in 0..<bench.number(1...5) { try bench.saveRandomly() }
      let before = try queries.map {
        try content(Searcher(storePath: bench.storePath, directory: bench.index), $0).0
      }
      try Indexer(bench.options()).catchUp()
      let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
      for (query, before) in zip(queries, before) {
        #expect(try content(searcher, query).0 == before, "\(query), seed \(seed)")
      }
    }
  }

  @Test func `words of an overlay are stemmed and truncated as in the index`() throws {
    let bench = try IndexedStore(seed: 1)
    func save(_ title: String) throws {
      try bench.store.save { save in
        _ = try save.insert(bench.film, [.text(title)] + [Value?](repeating: .null, count: 9))
      }
    }
    try save("Befriending robots 東京都")
    try Indexer(bench.options()).catchUp()
    try save("Parties in 大阪城公園")
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    for (query, title) in [
      ("befriended", "Befriending robots 東京都"), ("robot", "Befriending robots 東京都"), ("京都", "Befriending robots 東京都"),
      ("party", "Parties in 大阪城公園"), ("阪城", "Parties in 大阪城公園"),
    ] {
      var request = SearchRequest(query: query)
      request.mayApproximate = false
      #expect(try searcher.search(request).hits.map(\.title) == [title], "\(query)")
    }
  }

  @Test func `beyond the overlay's limits every page is full, even if many rows were deleted`() throws {
    let bench = try IndexedStore(seed: 1, films: 2_600)
    try Indexer(bench.options()).catchUp()
    let gone = bench.keys.sorted().prefix(2_100)
    try bench.store.save { save in for key in gone { try save.delete(bench.film, key: key) } }
    var request = SearchRequest(query: "*")
    request.limit = 20
    let result = try Searcher(storePath: bench.storePath, directory: bench.index).search(request)
    #expect(result.hits.count == 20)
    #expect(result.estimated == 500)
    #expect(result.notes == ["1 transaction behind"])
  }

  @Test func `many threads can search concurrently`() throws {
    let bench = try IndexedStore(seed: 1, films: 200)
    try Indexer(bench.options()).catchUp()
    try bench.insert(3)
    let (store, index) = (bench.storePath, bench.index)
    let found = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      guard let searcher = try? Searcher(storePath: store, directory: index) else { return }
      for round in 0..<150 {
        var request = SearchRequest(query: round % 2 == 0 ? "*" : "-genres:nothing")
        request.limit = nil
        let hits = (try? searcher.search(request).hits.count) ?? 0
        found.withLock { $0 += hits }
      }
    }
    #expect(found.withLock { $0 } == 8 * 150 * 203)
  }

  @Test func `a searcher includes each of many saves immediately`() throws {
    let bench = try IndexedStore(seed: 1)
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    for number in 1...40 {
      try bench.store.save { save in
        _ = try save.insert(bench.film, [.text("moon \(number)")] + [Value?](repeating: .null, count: 9))
      }
      #expect(try searcher.count(SearchRequest(query: "moon")).count == number)
      #expect(try searcher.search(SearchRequest(query: "title:\"moon \(number)\"")).hits.count == 1)
      if number % 10 == 0 { try Indexer(bench.options()).catchUp() }
    }
  }

  @Test(arguments: [0, 1]) func `the overlay has limits on changes and on time`(limit: Int) throws {
    let bench = try IndexedStore(seed: 1, films: 300)
    try Indexer(bench.options()).catchUp()
    try bench.insert(200)
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    var request = SearchRequest(query: "*")
    request.limit = nil
    request.overlayLimits.changes = limit == 0 ? 199 : 200
    request.overlayLimits.milliseconds = limit == 0 ? 1_000_000 : -1
    let behind = try searcher.search(request)
    #expect(behind.hits.count == 300)
    #expect(behind.notes == ["1 transaction behind"])
    (request.overlayLimits.changes, request.overlayLimits.milliseconds) = (200, 1_000_000)
    #expect(try searcher.search(request).hits.count == 500)
  }
}
