// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// The digests of rows beside the index of a database without history.
@Suite(.temporaryDirectory) struct RowDigestTests {
  private func changes(_ database: IndexedDatabase) throws -> [String]? {
    let generation = try #require(try database.index.serving())
    let store = try StoreFile.open(database.path)
    let state = try IndexState.read(path: generation.path)
    return try store.withSnapshot {
      try RowDigests.changes(in: store, since: state, generation: generation.path)?.map { row in
        // A deleted row with a text as its key has a number only.
        let name = try store.identifier(of: row).short
        return name.hasPrefix("genre/p") ? "genre/deleted" : name
      }.sorted()
    }
  }

  private func fixture() throws -> (database: IndexedDatabase, file: String) {
    let database = try IndexedDatabase(
      """
      CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE genre(name TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID;
      CREATE TABLE empty(id INTEGER PRIMARY KEY, name TEXT);
      WITH n(i) AS (SELECT -3000 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO film SELECT i, 'film ' || i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO genre SELECT 'g' || i, 'n' FROM n;
      """)
    try database.update()
    return (database, try #require(try database.index.serving()).path + "/rows")
  }

  @Test func `each inserted, updated and deleted row is found`() throws {
    let (database, _) = try fixture()
    #expect(try changes(database) == [])
    try database.writer.execute(
      """
      UPDATE film SET title = 'other' WHERE id IN (-3000, 17, 3000); DELETE FROM film WHERE id IN (-2999, 0);
      INSERT INTO film VALUES (-9000, 'first'), (9000, 'last'); INSERT INTO empty VALUES (5, 'first');
      UPDATE genre SET note = 'other' WHERE name = 'g7'; DELETE FROM genre WHERE name = 'g300'; INSERT INTO genre VALUES ('a', 'n');
      """)
    let found = try #require(try changes(database))
    #expect(
      found == [
        "empty/5", "film/-2999", "film/-3000", "film/-9000", "film/0", "film/17", "film/3000", "film/9000", "genre/a",
        "genre/deleted", "genre/g7",
      ])
    try database.update()
    #expect(try changes(database) == [] && database.isEqual)
  }

  @Test func `a damaged file is not used, and the index follows the rows all the same`() throws {
    let (database, file) = try fixture()
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(whole.count > 6_300 * 16)
    let places = Array(0..<40) + stride(from: 40, to: whole.count, by: 4_999) + (whole.count - 120..<whole.count)
    for place in places {
      var damaged = whole
      damaged[place] ^= 1
      try damaged.write(to: URL(fileURLWithPath: file))
      #expect(try changes(database) == nil, "byte \(place)")
    }
    for length in [0, 1, 17, 18, 60, 5_000, 65_536, whole.count - 16, whole.count - 1] {
      try whole.prefix(length).write(to: URL(fileURLWithPath: file))
      #expect(try changes(database) == nil, "\(length) bytes")
    }
    try database.writer.execute("UPDATE film SET title = 'zebra' WHERE id = 4")
    try database.update()
    #expect(try database.hits("zebra", isIndexOnly: true) == ["film/4"] && database.isEqual)
    #expect(try changes(database) == [])
  }
}
