// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Ordinary SQLite databases as stores.
@Suite(.overlapping, .temporaryDirectory)
struct DatabaseTests {
  private func fixture(_ sql: String) throws -> String {
    let directory = TemporaryDirectory()
    let path = directory.file("any.sqlite")
    try Connection(path: path, access: .create).execute(sql)
    return path
  }

  /// The rows of an entity with all columns: `key|value|value`.
  private func rows(_ store: PersistentStore, _ name: String) throws -> [String] {
    let entity = try #require(store.layout.entity(named: name))
    let cursor = try store.rows(of: entity, attributes: Array(entity.entity.attributes.indices))
    var rows: [String] = []
    while let row = try cursor.next() {
      let values = entity.entity.attributes.indices.map { index in
        switch row.value(index) {
        case .null: "-"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let value): "b:" + String(decoding: value, as: UTF8.self)
        }
      }
      rows.append((["\(row.key)"] + values).joined(separator: "|"))
    }
    return rows
  }

  @Test(arguments: [
    ("t TEXT", "'a', 'b'", AttributeType.string, ["a", "b"]),
    ("n INTEGER", "1, 2", .integer64, ["1", "2"]),
    ("n", "1, 2.5", .double, ["1", "2.5"]),
    ("n INTEGER", "1, 'x'", .string, ["1", "x"]),
    ("flag BOOLEAN", "0, 1", .boolean, ["0", "1"]),
    ("flag INTEGER", "0, 1", .integer64, ["0", "1"]),
    ("made TEXT", "'2001-01-01', '2001-01-02 00:00:01'", .date, ["0.0", "86401.0"]),
    ("made TEXT", "'1969-07-20T20:17:40Z', '1900-01-01T00:00:00+01:00'", .date, ["-992490140.0", "-3187299600.0"]),
    ("made TEXT", "'2001-01-01', 'soon'", .string, ["2001-01-01", "soon"]),
    ("created_at INTEGER", "978307200, 978307201", .date, ["0.0", "1.0"]),
    ("created_at INTEGER", "0, 978307201", .date, ["-", "1.0"]),
    ("created_at INTEGER", "978307200500, 978307201000", .date, ["0.5", "1.0"]),
    ("lastModified INTEGER", "978307200500000, 978307201000000", .date, ["0.5", "1.0"]),
    ("visit_time INTEGER", "12622780800000000, 12622780801000000", .date, ["0.0", "1.0"]),
    ("date REAL", "600000000.5, -50000000.0", .date, ["600000000.5", "-50000000.0"]),
    ("day REAL, x DATETIME", "2451910.5, 2451911.5", .double, ["2451910.5", "2451911.5"]),
    ("day DATETIME", "2451910.5, 2451911.5", .date, ["0.0", "86400.0"]),
    ("size INTEGER", "978307200, 978307201", .integer64, ["978307200", "978307201"]),
    ("tags TEXT", "'[\"a\"]', '{\"b\": 1}'", .json, ["b:[\"a\"]", "b:{\"b\": 1}"]),
    ("tags TEXT", "'[a]', '[\"a\"]'", .string, ["[a]", "[\"a\"]"]),
    ("note BLOB", "x'6869', x'686f'", .string, ["hi", "ho"]),
    ("note BLOB", "x'00ff', x'01'", .data, ["b:\u{0}\u{fffd}", "b:\u{1}"]),
    ("note TEXT", "NULL, ''", .string, ["-", ""]),
    ("\"select\" TEXT", "'a', 'b'", .string, ["a", "b"]),
  ])
  func `a column gets the type of its values`(
    _ column: String, _ values: String, _ type: AttributeType, _ read: [String]
  ) throws {
    let filled = values.split(separator: ", ").map { value in
      "INSERT INTO things VALUES (\(value)\(column.contains(",") ? ", NULL" : ""));"
    }
    let path = try fixture("CREATE TABLE things (\(column)); \(filled.joined())")
    let store = try StoreFile.open(path)
    #expect(store.tracking == .compared)
    #expect(store.model.entities.map(\.name) == ["things"])
    #expect(store.model.entities[0].attributes.first?.type == type)
    #expect(
      try rows(store, "things").map { $0.split(separator: "|", omittingEmptySubsequences: false)[1] }
        == read.map { $0[...] })
  }

  @Test func `foreign keys to any kind of key become relationships`() throws {
    let sql = """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
      CREATE TABLE books (title TEXT, author_id INTEGER REFERENCES authors, second TEXT REFERENCES authors(code),
        sequel INTEGER REFERENCES books(rowid), gone INTEGER REFERENCES missing(id));
      INSERT INTO authors VALUES (7, 'Ann', 'a'), (9, 'Bob', 'b');
      INSERT INTO books VALUES ('One', 7, 'b', NULL, 1), ('Two', 9, NULL, NULL, 1), ('Three', 8, 'x', NULL, 1);
      """
    let path = try fixture(sql)
    let store = try StoreFile.open(path)
    let (authors, books) = (
      try #require(store.layout.entity(named: "authors")), try #require(store.layout.entity(named: "books"))
    )
    #expect(books.entity.attributes.map(\.name) == ["title", "author_id", "second", "sequel", "gone"])
    #expect(books.relationships.map(\.name) == ["author", "second2"])
    #expect(authors.relationships.map(\.name) == ["books", "books2"])
    func targets(_ entity: EntityLayout, _ name: String, _ key: Int64) throws -> [Int64] {
      let index = try #require(entity.entity.relationship(named: name))
      return try store.targets(of: entity.relationships[index], from: key).map(\.key)
    }
    #expect(try (1...3).map { try targets(books, "author", $0) } == [[7], [9], []])
    #expect(try (1...3).map { try targets(books, "second2", $0) } == [[9], [], []])
    #expect(try targets(authors, "books", 7) == [1])
    #expect(try targets(authors, "books2", 9) == [1])
  }

  @Test func `every table with a key is an entity, and omitted tables have a reason`() throws {
    let sql = """
      CREATE TABLE "my table" (a); CREATE TABLE "1st" (a); CREATE TABLE "select" (a); CREATE TABLE "a""b" ("c""d" TEXT);
      CREATE TABLE narrow (k INTEGER PRIMARY KEY, v TEXT) WITHOUT ROWID;
      CREATE TABLE wordy (k TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE hidden (rowid TEXT, oid TEXT, _rowid_ TEXT);
      CREATE VIEW seen AS SELECT * FROM narrow; CREATE VIRTUAL TABLE words USING fts5(a);
      CREATE VIRTUAL TABLE bare USING fts5(a, content='');
      CREATE TABLE schema_migrations (version TEXT); CREATE TABLE django_migrations (version TEXT);
      CREATE TABLE counted (k INTEGER PRIMARY KEY AUTOINCREMENT);
      INSERT INTO "a""b" VALUES ('x'); INSERT INTO narrow VALUES (5, 'five');
      """
    let path = try fixture(sql)
    let store = try StoreFile.open(path)
    #expect(
      store.layout.entities.map(\.entity.name)
        == ["a_b", "counted", "my_table", "narrow", "select", "t1st", "words", "wordy"])
    #expect(
      store.remarks == [
        "the table bare is left out: it is a virtual table, such as an index of another table",
        "the tables django_migrations and schema_migrations are left out: they belong to migrations or to the system",
        "the table hidden is left out: its rows have no key: all names of the rowid are columns",
      ])
    #expect(try rows(store, "a_b") == ["1|x"])
    #expect(try rows(store, "narrow") == ["5|5|five"])
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `marks change only with a commit`(_ mode: String) throws {
    let path = try fixture("PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (0)")
    let writer = try Connection(path: path, access: .readWrite)
    let store = try StoreFile.open(path)
    func token() throws -> StoreToken { try store.withSnapshot(settled: true) { try store.token() } }
    var last = try token()
    for round in 0..<20 {
      #expect(try store.withSnapshot { try store.verdict(on: last) } == .valid, "round \(round)")
      #expect(try StoreFile.open(path).verdict(on: last) == .valid, "round \(round), another connection")
      try writer.execute("INSERT INTO t VALUES (\(round))")
      #expect(try store.withSnapshot { try store.verdict(on: last) } == .mayHaveChanged, "round \(round)")
      #expect(try StoreFile.open(path).verdict(on: last) == .mayHaveChanged, "round \(round), another connection")
      if round % 7 == 6 { try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      last = try token()
    }
  }

  @Test func `a save to an ordinary database is refused and writes nothing`() throws {
    let path = try fixture("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x')")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try rows(StoreFile.open(path), "t") == ["1|x"])
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: .readWrite) }
    #expect(error?.code == .notAStore)
    #expect(
      error?.message == "\(path) is an ordinary SQLite database: followspot searches it, but does not change its rows")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(arguments: ["", "CREATE VIEW v AS SELECT 1"])
  func `a database without tables is refused`(_ sql: String) throws {
    let path = try fixture("PRAGMA user_version = 1; " + sql)
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path) }
    #expect(error?.code == .notAStore)
    #expect(error?.message == "\(path) has no table that can be searched")
  }
}
