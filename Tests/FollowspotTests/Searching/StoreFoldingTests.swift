// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import SearchIndex
import TestSupport
import Testing

/// On a terminal, each store of a group with matches has a share of the page.
@Suite(.temporaryDirectory)
struct StoreFoldingTests {
  /// Stores whose rows have the word bread as often as their names say.
  private func group(_ sizes: [(name: String, bread: Int, other: Int)]) throws -> SearchGroup {
    let directory = TemporaryDirectory()
    return try SearchGroup(
      sizes.map { name, bread, other in
        let path = directory.file(name + ".db")
        let connection = try Connection(path: path, access: .create)
        try connection.execute(
          """
          CREATE TABLE \(name)(id INTEGER PRIMARY KEY, title TEXT);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(bread + other))
            INSERT INTO \(name) SELECT i, CASE WHEN i <= \(bread) THEN 'bread ' ELSE 'cake ' END || i FROM n
          """)
        let index = IndexDirectory(path: path + ".index")
        _ = try Pass.run(Indexer.Options(storePath: path, directory: index))
        return .store(name: name, path: path, index)
      })
  }

  private func search(_ group: SearchGroup, _ query: String, limit: Int, offset: Int = 0) throws -> SearchResult {
    var request = SearchRequest(query: query)
    (request.limit, request.offset, request.folds) = (limit, offset, true)
    return try group.search(request)
  }

  private func counts(_ hits: [Hit]) -> [String: Int] {
    Dictionary(grouping: hits) { $0.store ?? "" }.mapValues(\.count)
  }

  @Test func `a store with many matches leaves room for the others, and the rest is counted`() throws {
    let group = try group([("songs", 300, 50), ("recipes", 80, 5), ("tools", 2, 10), ("maps", 0, 20)])
    let result = try search(group, "bread", limit: 20)
    #expect(counts(result.hits) == ["songs": 9, "recipes": 9, "tools": 2])
    #expect(result.estimated == 382)
    let folded = Set(result.folded.map { "\($0.group) \($0.records)" })
    #expect(folded == ["store(\"songs\") 291", "store(\"recipes\") 71"])
    // The hits of each store are its best ones, in their order.
    var all = SearchRequest(query: "bread")
    all.limit = nil
    let whole = try group.search(all).hits
    for name in ["songs", "recipes", "tools"] {
      let shown = result.hits.filter { $0.store == name }.map(\.identifier)
      #expect(shown == whole.filter { $0.store == name }.prefix(shown.count).map(\.identifier), "\(name)")
    }
    // The next page continues, and has what no store hides.
    #expect(try search(group, "bread", limit: 20, offset: 20).hits.isEmpty)
  }

  @Test(arguments: [
    "bread @store:songs", "cake", "title:tools",
  ])
  func `nothing is hidden if the page has all matches, or one store has them`(query: String) throws {
    let group = try group([("songs", 300, 3), ("recipes", 8, 5)])
    #expect(try search(group, query, limit: 20).folded.isEmpty)
  }

  @Test func `a list that is sorted, or asked for as a whole, has all hits`() throws {
    let group = try group([("songs", 60, 3), ("recipes", 8, 5)])
    var request = SearchRequest(query: "bread")
    (request.folds, request.limit) = (true, nil)
    #expect(try group.search(request).hits.count == 68)
    (request.limit, request.sort) = (20, SearchRequest.Sort.keys("title") ?? [])
    let sorted = try group.search(request)
    #expect(sorted.hits.count == 20 && sorted.folded.isEmpty)
  }
}
