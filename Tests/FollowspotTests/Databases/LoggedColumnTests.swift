// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Lines of a change log that were written with other keys and preserved columns than those of now.
@Suite(.overlapping, .temporaryDirectory)
struct LoggedColumnTests {
  private let database: IndexedDatabase

  init() throws {
    database = try IndexedDatabase(
      "CREATE TABLE book (id INTEGER PRIMARY KEY, isbn TEXT NOT NULL UNIQUE, title TEXT, author TEXT);"
        + "INSERT INTO book VALUES (1, 'i1', 'Harbour lights', 'Ann'), (2, 'i2', 'Night trains', 'Ben'),"
        + "(3, 'i3', 'Cold water', 'Cid'), (4, 'i4', 'Last call', 'Dan')")
  }

  /// The preserved values of the deleted books, by their titles.
  private func deleted() throws -> [[String: String]] {
    try database.search("deleted:*").hits.map { hit in
      var values: [String: String] = [:]
      for (attribute, value) in zip(hit.entity.entity.attributes, hit.values) {
        if case .text(let text) = value { values[attribute.name] = text }
      }
      return values
    }.sorted { ($0["title"] ?? "") < ($1["title"] ?? "") }
  }

  private func attach(_ preserved: [String], keys: [String] = []) throws {
    _ = try Attachment.attach(database.path, keys: keys, preserving: preserved)
    try database.update()
  }

  @Test func `a longer and a shorter list of preserved columns leave older values in their columns`() throws {
    try attach(["title"])
    try database.writer.execute("DELETE FROM book WHERE id = 1")
    try attach(["title", "author"])
    #expect(try deleted() == [["title": "Harbour lights"]])
    try database.writer.execute("DELETE FROM book WHERE id = 2")
    try attach(["author"])
    try database.writer.execute("DELETE FROM book WHERE id = 3")
    #expect(
      try deleted() == [
        ["author": "Cid"], ["title": "Harbour lights"], ["title": "Night trains", "author": "Ben"],
      ])
    #expect(try database.search("deleted:* title:harbour").hits.count == 1)
    #expect(try database.search("deleted:* author:harbour").hits.isEmpty)
  }

  @Test func `a preserved column with a new name is still preserved, and attach changes nothing`() throws {
    try attach(["title", "author"])
    try database.writer.execute("DELETE FROM book WHERE id = 1; ALTER TABLE book RENAME COLUMN author TO writer")
    #expect(try database.tracking == .attached)
    try database.update()
    #expect(try deleted() == [["title": "Harbour lights", "writer": "Ann"]])
    #expect(try Attachment.attach(database.path).statements == [])
    try database.writer.execute("DELETE FROM book WHERE id = 2; ALTER TABLE book RENAME TO tome")
    try database.update()
    #expect(
      try deleted() == [["title": "Harbour lights", "writer": "Ann"], ["title": "Night trains", "writer": "Ben"]])
  }

  @Test func `SQLite refuses to drop a preserved column, until the database is detached`() throws {
    try attach(["title"])
    #expect(throws: SQLiteError.self) { try database.writer.execute("ALTER TABLE book DROP COLUMN title") }
    try database.writer.execute("ALTER TABLE book DROP COLUMN author")
    _ = try Attachment.detach(database.path)
    try database.writer.execute("ALTER TABLE book DROP COLUMN title")
  }

  @Test(arguments: [(["isbn"], ["id"]), (["id"], ["isbn"])])
  func `deleted rows stay deleted with another key, under the name that the log knows`(
    _ before: [String], _ after: [String]
  ) throws {
    try attach(["title"], keys: before)
    try database.writer.execute("DELETE FROM book WHERE id IN (1, 2)")
    try attach(["title"], keys: after)
    #expect(try deleted().map { $0["title"] } == ["Harbour lights", "Night trains"])
    try database.writer.execute("DELETE FROM book WHERE id = 3")
    #expect(try deleted().map { $0["title"] } == ["Cold water", "Harbour lights", "Night trains"])
    #expect(try database.search("harbour").hits.isEmpty)
    #expect(
      try database.search("deleted:* cold").hits.map(\.identifier.short) == ["book/\(after == ["id"] ? "3" : "i3")"])
  }

  @Test func `a preserved column that becomes the key names the rows that were deleted before`() throws {
    try attach(["isbn", "title"])
    try database.writer.execute("DELETE FROM book WHERE id = 1")
    try attach(["title"], keys: ["isbn"])
    #expect(try database.search("deleted:* harbour").hits.map(\.identifier.short) == ["book/i1"])
  }

  @Test func `the size of the history is that of the log in the file`() throws {
    try attach(["title"])
    try database.writer.execute(
      "WITH n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        + "INSERT INTO book SELECT i, i, i, i FROM n")
    let expected = try database.writer.integer(
      "SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE '%followspot%'")
    let store = try StoreFile.open(database.path)
    #expect(try store.withSnapshot { try store.sizes().historyBytes } == expected.map { Int($0) })
    #expect(expected ?? 0 > 50_000)
  }
}
