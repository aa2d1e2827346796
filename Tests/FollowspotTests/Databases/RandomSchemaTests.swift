// SPDX-License-Identifier: MIT

import Followspot
import Store
import TestSupport
import Testing

/// Random schemas and statements: what an index finds is compared with plain SQL.
@Suite(.overlapping, .temporaryDirectory)
struct RandomSchemaTests {
  @Test(arguments: Rounds.seeds(6, full: 16, long: 1_000), [false, true])
  func `every row of a random database is found, and no other`(_ seed: Int, _ isAttached: Bool) throws {
    let database = try IndexedDatabase()
    var schema = try RandomSchema(seed: seed, database.writer)
    if isAttached { _ = try Attachment.attach(database.path) }
    func counts(_ query: String) throws -> [String: Int] {
      let hits = try database.search(query, isIndexOnly: true).hits
      return Dictionary(hits.map { ($0.identifier.entityName, 1) }, uniquingKeysWith: +)
    }
    for round in 0..<4 {
      for _ in 0..<8 where round > 0 { try schema.step() }
      // A column that comes to be read in another way needs a second pass, as a follower makes it.
      for _ in 0..<2 { try database.update() }
      #expect(try counts("*") == schema.counts(nil), "seed \(seed), round \(round)")
      for word in RandomSchema.words {
        #expect(try counts(word) == schema.counts(word), "seed \(seed), round \(round), \(word)")
      }
      #expect(try database.isEqual, "seed \(seed), round \(round)")
    }
  }
}
