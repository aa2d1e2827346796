// SPDX-License-Identifier: MIT

import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Facets and sort orders from the slots of the index, compared with those from the rows.
@Suite(.overlapping, .temporaryDirectory)
struct SlotValueTests {
  private let directory = TemporaryDirectory()

  /// Expects the same facets and orders of all fields, with the slots and without.
  private func expectSame(_ storePath: String, _ index: IndexDirectory, _ what: String) throws {
    let searcher = try Searcher(storePath: storePath, directory: index)
    let fields = IndexVocabulary(storePath: storePath, directory: index).fields + ["kind"]
    var request = SearchRequest(query: "*")
    request.overlayLimits.milliseconds = 1_000_000
    request.facets = fields
    func both<Answer: Equatable>(_ part: String, _ answer: () throws -> Answer) throws {
      request.readsSlots = false
      let expected = try answer()
      request.readsSlots = true
      #expect(try answer() == expected, "\(what), \(part)")
    }
    for query in ["*", "co", "kind:film"] where (try? searcher.search(SearchRequest(query: query))) != nil {
      request.query = query
      request.words = .any
      try both("facets of \(query)") { try searcher.search(request).facets }
    }
    request.facets = []
    for field in fields {
      request.sort = SearchRequest.Sort.keys("\(field):desc,kind") ?? []
      for (offset, limit) in [(0, nil), (3, 5), (0, 0), (1_000, 2)] {
        (request.offset, request.limit) = (offset, limit)
        try both("by \(field), \(offset)+\(limit ?? -1)") {
          let found = try searcher.search(request)
          return found.hits.map(\.identifier.short) + ["\(found.estimated)"]
        }
      }
    }
  }

  /// Values that a slot does not hold, or not as they are written.
  private static let oddities = [
    "UPDATE ZFILM SET ZYEAR = 1999.5 WHERE Z_PK = 1", "UPDATE ZFILM SET ZYEAR = 'long ago' WHERE Z_PK = 2",
    "UPDATE ZFILM SET ZYEAR = 9007199254740993 WHERE Z_PK = 3", "UPDATE ZFILM SET ZYEAR = x'00ff' WHERE Z_PK = 4",
    "UPDATE ZFILM SET ZRATING = 1e15 WHERE Z_PK = 5", "UPDATE ZFILM SET ZRATING = -0.0 WHERE Z_PK = 6",
    "UPDATE ZFILM SET ZRATING = 9e999 WHERE Z_PK = 7", "UPDATE ZFILM SET ZRATING = 7 WHERE Z_PK = 8",
    "UPDATE ZFILM SET ZISFAVORITE = 1.0 WHERE Z_PK = 9", "UPDATE ZFILM SET ZISFAVORITE = 2 WHERE Z_PK = 10",
    "UPDATE ZFILM SET ZTITLE = 'a' || char(0) || 'b' WHERE Z_PK = 11", "UPDATE ZFILM SET ZTITLE = '' WHERE Z_PK = 12",
    "UPDATE ZFILM SET ZTITLE = replace(hex(zeroblob(800)), '0', 'co ') WHERE Z_PK = 13",
    "UPDATE ZFILM SET ZTITLE = 'cafe' || char(769) WHERE Z_PK = 14",
    "UPDATE ZFILM SET ZTITLE = 'caf' || char(233) WHERE Z_PK IN (15, 16)",
    "UPDATE ZFILM SET ZTITLE = CAST(x'ff63c328' AS TEXT) WHERE Z_PK = 17",
    "UPDATE ZFILM SET ZGENRES = CAST('[\"\", \"a\\u0000b\", \"Drama\", \"drama\", \"DRAMA\"]' AS BLOB) WHERE Z_PK = 18",
    "UPDATE ZFILM SET ZGENRES = CAST('not JSON' AS BLOB) WHERE Z_PK = 19",
    "UPDATE ZFILM SET ZGENRES = CAST('{\"a\": [\"Drama\", {\"b\": \"comedy\"}]}' AS BLOB) WHERE Z_PK = 20",
    "UPDATE ZFILM SET ZRELEASED = 0 WHERE Z_PK = 21", "UPDATE ZFILM SET ZRELEASED = 0.25 WHERE Z_PK = 22",
    "UPDATE ZFILM SET ZTITLE = x'636f' WHERE Z_PK = 23",
  ]

  @Test(arguments: Rounds.seeds(2, full: 4, long: 60))
  func `facets and orders of films are the same from slots and from rows`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 60)
    if seed % 2 == 1 { for oddity in Self.oddities { try edit(bench, oddity) } }
    try Indexer(bench.options()).catchUp()
    try expectSame(bench.storePath, bench.index, "seed \(seed), indexed")
    for _ in 0..<4 { try bench.saveRandomly() }
    try expectSame(bench.storePath, bench.index, "seed \(seed), with an overlay")
    try Indexer(bench.options()).catchUp()
    try expectSame(bench.storePath, bench.index, "seed \(seed), updated")
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 60))
  func `facets and orders of related records are the same from slots and from rows`(seed: Int) throws {
    let bench = try RelatedCatalogue(in: directory, seed: seed)
    for _ in 0..<20 { try bench.saveRandomly() }
    try Indexer(bench.options()).catchUp()
    try expectSame(bench.storePath, bench.index, "seed \(seed), indexed")
    for _ in 0..<3 { try bench.saveRandomly() }
    try expectSame(bench.storePath, bench.index, "seed \(seed), with an overlay")
    try Indexer(bench.options()).catchUp()
    try expectSame(bench.storePath, bench.index, "seed \(seed), updated")
  }

  @Test(arguments: Rounds.seeds(2, full: 4, long: 60))
  func `facets and orders of random models are the same from slots and from rows`(seed: Int) throws {
    var random = RandomModel(seed: seed)
    let path = directory.file("random.store")
    let store = try PersistentStore.create(path, model: random.model)
    for _ in 0..<15 { try random.saveRandomly(store) }
    let index = IndexDirectory(path: path + ".index")
    let options = Indexer.Options(storePath: path, directory: index)
    try Indexer(options).catchUp()
    try expectSame(path, index, "seed \(seed), indexed")
    for _ in 0..<3 { try random.saveRandomly(store) }
    try expectSame(path, index, "seed \(seed), with an overlay")
    try Indexer(options).catchUp()
    try expectSame(path, index, "seed \(seed), updated")
  }

  @Test func `facets and orders of an index at the token of the store read no rows`() throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 30)
    try Indexer(bench.options()).catchUp()
    var request = SearchRequest(query: "*")
    request.facets = ["genres", "year", "rating", "released", "isFavorite", "kind"]
    request.sort = SearchRequest.Sort.keys("title,genres:desc") ?? []
    func answer() throws -> ([Facet], [String]) {
      let found = try Searcher(storePath: bench.storePath, directory: bench.index).search(request)
      return (found.facets, found.hits.map(\.identifier.short))
    }
    let before = try answer()
    // A change that no history records.
    try edit(
      bench, "UPDATE ZFILM SET ZTITLE = 'x', ZGENRES = NULL, ZYEAR = 1, ZRATING = 1, ZRELEASED = 1, ZISFAVORITE = NULL")
    #expect(try answer() == before)
    // An index behind the store has older values than the rows.
    try bench.insert(1)
    request.isIndexOnly = true
    #expect(try answer().0.dropFirst().first?.values.map(\.text) == ["1"])
  }
}
