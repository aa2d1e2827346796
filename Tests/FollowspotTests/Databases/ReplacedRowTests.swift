// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Rows that `REPLACE` removes because the new row has one of their unique values.
@Suite(.overlapping, .temporaryDirectory)
struct ReplacedRowTests {
  private func makeDatabase() throws -> IndexedDatabase {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, code TEXT UNIQUE, name TEXT);"
        + "INSERT INTO t VALUES (1, 's1', 'c1', 'heron'), (2, 's2', 'c2', 'plover'), (5, 's5', 'c5', 'curlew')",
      isAttached: true, preserving: ["name"])
    try database.update()
    return database
  }

  /// The identifiers and titles of deleted rows.
  private func deleted(_ database: IndexedDatabase) throws -> [String] {
    try database.search("deleted:*").hits.map { "\($0.identifier.short) \($0.title)" }.sorted()
  }

  @Test(arguments: [
    ("INSERT OR REPLACE INTO t VALUES (3, 's2', NULL, 'gannet')", ["t/2 plover"]),
    ("INSERT OR REPLACE INTO t VALUES (3, 's2', 'c5', 'gannet')", ["t/2 plover", "t/5 curlew"]),
    ("INSERT OR REPLACE INTO t VALUES (1, 's2', 'c5', 'gannet')", ["t/2 plover", "t/5 curlew"]),
    ("UPDATE OR REPLACE t SET slug = 's2' WHERE id = 1", ["t/2 plover"]),
    ("UPDATE OR REPLACE t SET id = 9, code = 'c5' WHERE id = 1", ["t/1 heron", "t/5 curlew"]),
    ("INSERT OR REPLACE INTO t VALUES (2, 's2', 'c2', 'gannet')", []),
    ("INSERT OR IGNORE INTO t VALUES (3, 's2', NULL, 'gannet')", []),
    ("INSERT OR FAIL INTO t VALUES (3, 's2', NULL, 'gannet')", []),
    ("INSERT OR ABORT INTO t VALUES (3, 's2', NULL, 'gannet')", []),
    ("INSERT INTO t VALUES (3, 's2', NULL, 'gannet') ON CONFLICT (slug) DO UPDATE SET name = 'gannet'", []),
    ("UPDATE OR IGNORE t SET slug = 's2' WHERE id = 1", []),
    ("INSERT OR IGNORE INTO t VALUES (3, 's2', NULL, 'gannet'); DELETE FROM t WHERE id = 2", ["t/2 plover"]),
    ("INSERT OR REPLACE INTO t VALUES (3, 's2', NULL, 'gannet'); INSERT INTO t VALUES (2, 's9', NULL, 'again')", []),
  ])
  func `rows that are replaced are deletions with their preserved values, and rows that exist are not`(
    _ statements: String, _ expected: [String]
  ) throws {
    for isRecursive in [false, true] {
      let database = try makeDatabase()
      try database.writer.execute("PRAGMA recursive_triggers = \(isRecursive)")
      for statement in statements.split(separator: "; ") { try? database.writer.execute(String(statement)) }
      #expect(try deleted(database) == expected, "recursive triggers: \(isRecursive)")
      try database.update()
      #expect(try deleted(database) == expected)
      #expect(try database.isEqual)
    }
  }

  @Test func `a row that has the name of a replaced one, under another number, exists`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (tag TEXT PRIMARY KEY, name TEXT); INSERT INTO t VALUES ('a', 'heron'), ('b', 'plover')",
      isAttached: true, preserving: ["name"])
    try database.update()
    for isRecursive in [false, true] {
      try database.writer.execute("PRAGMA recursive_triggers = \(isRecursive)")
      try database.writer.execute("INSERT OR REPLACE INTO t VALUES ('a', 'gannet')")
      #expect(try deleted(database) == [])
    }
    try database.writer.execute("DELETE FROM t WHERE tag = 'b'")
    #expect(try deleted(database) == ["t/b plover"])
  }

  @Test(arguments: Rounds.seeds(3, full: 12, long: 60))
  func `the deleted rows are those that existed and are gone, as SQL finds them`(seed: Int) throws {
    let database = try IndexedDatabase(DatabaseHistories.schema)
    var histories = try DatabaseHistories(seed: seed, database.writer)
    for _ in 0..<30 { _ = histories.step() }
    histories.end()
    _ = try Attachment.attach(database.path, preserving: ["note"])
    try database.update()
    let tables = [("plain", "id"), ("narrow", "k"), ("child", "id")]
    var existed: [String: Set<Int64>] = [:]
    func keys(_ table: String, _ key: String) throws -> Set<Int64> {
      var keys: Set<Int64> = []
      let rows = try database.writer.cursor("SELECT \(key) FROM \(table)")
      while try rows.step() { keys.insert(rows.integer(at: 0)) }
      return keys
    }
    for (table, key) in tables { existed[table] = try keys(table, key) }
    for _ in 0..<100 {
      _ = histories.step()
      guard histories.isBetweenTransactions else { continue }
      for (table, key) in tables { existed[table]?.formUnion(try keys(table, key)) }
    }
    histories.end()
    let expected = try tables.flatMap { table, key in
      try existed[table]!.subtracting(keys(table, key)).map { "\(table)/\($0)" }
    }
    let found = try database.hits("deleted:*").filter { hit in tables.contains { hit.hasPrefix($0.0 + "/") } }
    #expect(Set(found).isSuperset(of: expected), "seed \(seed)")
    for hit in found {
      let (table, key) = (hit.prefix { $0 != "/" }, hit.drop { $0 != "/" }.dropFirst())
      let column = tables.first { $0.0 == table }!.1
      #expect(try database.writer.integer("SELECT count(*) FROM \(table) WHERE \(column) = \(key)") == 0, "\(hit)")
    }
  }
}
