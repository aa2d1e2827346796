// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Keys of all kinds: every row that plain SQL reads is found, under an identifier that stays.
@Suite(.overlapping, .temporaryDirectory)
struct RowKeyTests {
  /// The numbers and titles of the hits, in the order of the numbers. They do not depend on the spelling of keys.
  private func numbered(
    _ database: IndexedDatabase, _ query: String, isIndexOnly: Bool = false
  ) throws -> [String] {
    try database.search(query, isIndexOnly: isIndexOnly).hits
      .map { "\($0.identifier.entityName) \($0.identifier.key) \($0.title)" }.sorted()
  }

  /// The identifiers and titles of the hits, in their order.
  private func titled(_ database: IndexedDatabase, _ query: String, isIndexOnly: Bool = false) throws -> [String] {
    try database.search(query, isIndexOnly: isIndexOnly).hits.map { "\($0.identifier.short) \($0.title)" }
  }

  @Test(
    arguments: ["id INTEGER PRIMARY KEY, title TEXT)", "id INTEGER PRIMARY KEY, title TEXT) WITHOUT ROWID"],
    [false, true])
  func `every integer is a key`(_ columns: String, _ isAttached: Bool) throws {
    let database = try IndexedDatabase("CREATE TABLE book (\(columns)", isAttached: isAttached)
    let keys: [Int64] = [.min, .min + 1, -1 << 40, -257, -256, -255, -3, -1, 0, 1, 255, 256, 1 << 40, .max]
    func expected() throws -> [String] {
      let rows = try database.writer.cursor("SELECT id, title FROM book ORDER BY id")
      var lines: [String] = []
      while try rows.step() { lines.append("book/\(rows.integer(at: 0)) \(rows.text(at: 1))") }
      return lines
    }
    for key in keys { try database.writer.execute("INSERT INTO book VALUES (\(key), 'numbat \(key)')") }
    try database.update()
    #expect(try titled(database, "numbat", isIndexOnly: true) == expected(), "hits of equal relevance are in key order")
    #expect(try database.isEqual)
    try database.writer.execute("UPDATE book SET title = 'numbat again' WHERE id < 0; DELETE FROM book WHERE id = -3")
    #expect(try titled(database, "numbat").sorted() == expected().sorted())
    try database.update()
    #expect(try titled(database, "again", isIndexOnly: true) == expected().filter { $0.hasSuffix("again") })
    #expect(try database.isEqual)
    for key in keys {
      #expect(RecordURI("book/p\(key)")?.key == key)
    }
    #expect(RecordURI("book/p-0") == nil && RecordURI("book/p+1") == nil && RecordURI("book/p01") == nil)
  }

  @Test func `the number of a row with another key is the same before and after attach and detach`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE place (code TEXT PRIMARY KEY COLLATE NOCASE, title TEXT) WITHOUT ROWID;
      CREATE TABLE pair (a, b TEXT COLLATE RTRIM, title TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
      INSERT INTO place VALUES ('Ab', 'otter one'), ('cd', 'otter two'), ('', 'otter three');
      INSERT INTO pair VALUES (1, 'x', 'otter four'), (2.5, 'x ', 'otter five'), (x'00', 'é', 'otter six');
      """)
    try database.update()
    let before = try numbered(database, "otter")
    #expect(before.count == 6)
    #expect(
      try titled(database, "otter").sorted()
        == [
          "pair/x%20:2.5 otter five", "pair/x:1 otter four", "pair/é:0x00 otter six",
          "place/ otter three", "place/Ab otter one", "place/cd otter two",
        ].sorted())
    _ = try Attachment.attach(database.path)
    var reports = try database.update()
    #expect(reports.contains("reconciled: 0 added, 0 updated, 0 removed"), "\(reports)")
    #expect(try numbered(database, "otter") == before)
    // Other spellings of the same keys.
    try database.writer.execute(
      "UPDATE place SET code = 'AB' WHERE code = 'ab'; REPLACE INTO pair VALUES (1.0, 'x  ', 'otter four');"
        + "INSERT OR REPLACE INTO place VALUES ('CD', 'otter two')")
    #expect(try numbered(database, "otter") == before)
    // Identifiers have the spelling of the rows.
    #expect(
      try Set(titled(database, "otter")).isSuperset(of: [
        "place/AB otter one", "place/CD otter two", "pair/x%20%20:1.0 otter four",
      ]))
    reports = try database.update()
    #expect(try numbered(database, "otter", isIndexOnly: true) == before)
    #expect(try database.isEqual)
    _ = try Attachment.detach(database.path)
    try database.update()
    #expect(try numbered(database, "otter") == before)
    #expect(try database.isEqual)
  }

  @Test func `many rows with text keys are built, changed and followed like those with integer keys`() throws {
    let database = try IndexedDatabase("CREATE TABLE item (id TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID")
    // More than the sample of values.
    try database.writer.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)
      INSERT INTO item SELECT printf('%08x', i * 2654435761 % 4294967296), 'word' || (i % 1000) FROM n
      """)
    try database.update()
    #expect(try database.hits("word7").count == 21)
    try database.writer.execute(
      "UPDATE item SET title = 'swift' WHERE title = 'word7';"
        + "DELETE FROM item WHERE title = 'word8'; INSERT INTO item VALUES ('new', 'swift')")
    #expect(try database.hits("swift").count == 22)
    #expect(try database.hits("word8") == [])
    let reports = try database.update()
    #expect(reports == [])
    #expect(try database.hits("swift", isIndexOnly: true).count == 22)
    #expect(try database.isEqual)
    let store = try StoreFile.open(database.path)
    let entity = try #require(store.layout.entity(named: "item"))
    let range = try #require(try store.keyRange(of: entity))
    let rows = try store.rows(of: entity, attributes: [], keys: range.lowerBound...(range.upperBound / 2))
    var keys: [Int64] = []
    while let row = try rows.next() { keys.append(row.key) }
    #expect(keys == keys.sorted() && keys.count > 5_000 && keys.count < 15_000)
    #expect(try store.count(of: entity) == 20_480)
  }
}
