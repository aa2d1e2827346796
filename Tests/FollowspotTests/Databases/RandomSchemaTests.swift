// SPDX-License-Identifier: MIT

import Following
import ForeignStores
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// Random schemas and statements: what an index finds is compared with plain SQL.
@Suite(.overlapping)
struct RandomSchemaTests {
  @Test(arguments: Rounds.seeds(30, long: 1_000), [false, true])
  func `every row of a random database is found, and no other`(_ seed: Int, _ isAttached: Bool) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("any.sqlite")
      let writer = try Connection(path: path, access: .create)
      var schema = try RandomSchema(seed: seed, writer)
      if isAttached { _ = try Attachment.attach(path) }
      let index = IndexDirectory(path: path + ".index")
      func counts(_ query: String) throws -> [String: Int] {
        var request = SearchRequest(query: query)
        (request.limit, request.isIndexOnly, request.words) = (nil, true, .all)
        let hits = try Searcher(storePath: path, directory: index).search(request).hits
        return Dictionary(hits.map { ($0.identifier.entityName, 1) }, uniquingKeysWith: +)
      }
      for round in 0..<4 {
        for _ in 0..<8 where round > 0 { try schema.step() }
        // A column that comes to be read in another way needs a second pass, as a follower makes it.
        for _ in 0..<2 { _ = try Pass.run(Indexer.Options(storePath: path, directory: index)) }
        #expect(try counts("*") == schema.counts(nil), "seed \(seed), round \(round)")
        for word in RandomSchema.words {
          #expect(try counts(word) == schema.counts(word), "seed \(seed), round \(round), \(word)")
        }
        #expect(
          try Verify(storePath: path, directory: index).run(isQuick: false).isEqual, "seed \(seed), round \(round)")
      }
    }
  }
}
