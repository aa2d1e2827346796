// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Tables that are created in a database after it was attached.
@Suite(.overlapping, .temporaryDirectory)
struct NewTableTests {
  private let database: IndexedDatabase

  init() throws {
    database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')")
  }

  private func createTable() throws {
    try database.writer.execute(
      "CREATE TABLE new (code TEXT PRIMARY KEY, a TEXT) WITHOUT ROWID; INSERT INTO new VALUES ('x', 'quokka')")
  }

  /// What passes of one indexer report, as those of a follower.
  private func update(renewsTriggers: Bool, passes: Int = 3) throws -> [String] {
    var reports: [String] = []
    var options = database.options()
    options.report = { reports.append($0) }
    options.renewsTriggers = renewsTriggers
    let indexer = Indexer(options)
    for _ in 0..<passes { try indexer.catchUp() }
    return reports
  }

  private func count(_ query: String) throws -> Int { try database.hits(query, isIndexOnly: true).count }

  @Test func `a single pass says so, and finds its rows by comparison`() throws {
    _ = try Attachment.attach(database.path)
    _ = try update(renewsTriggers: false)
    try createTable()
    let reports = try update(renewsTriggers: false)
    #expect(
      reports.contains(
        "triggers of the new table new are missing: rows are compared until the database is attached again"),
      "\(reports)")
    #expect(try database.tracking == .compared)
    #expect(try count("quokka") == 1)
    try database.writer.execute("UPDATE new SET a = 'kiwi'; UPDATE t SET a = 'kiwi'")
    #expect(try database.hits("kiwi").count == 2)
    _ = try update(renewsTriggers: false)
    #expect(try count("kiwi") == 2)
    #expect(try database.isEqual)
  }

  @Test func `a follower puts triggers on it, and then its log records changes`() throws {
    _ = try Attachment.attach(database.path)
    _ = try update(renewsTriggers: true)
    try createTable()
    let reports = try update(renewsTriggers: true)
    #expect(
      reports.contains("triggers of the new table new are missing: they were put back"), "\(reports)")
    #expect(try database.tracking == .attached)
    #expect(try count("quokka") == 1)
    try database.writer.execute("UPDATE new SET a = 'kiwi'; INSERT INTO new VALUES ('y', 'kiwi'); DELETE FROM t")
    #expect(try update(renewsTriggers: true, passes: 1) == [])
    #expect(try count("kiwi") == 2)
    #expect(try count("one") == 0)
    #expect(try database.isEqual)
    _ = try Attachment.detach(database.path)
    #expect(try database.writer.integer("SELECT count(*) FROM sqlite_master") == 2)
  }

  @Test func `where attach chose the tables, it is left out and said`() throws {
    _ = try Attachment.attach(database.path, tables: ["t"])
    _ = try update(renewsTriggers: true)
    try createTable()
    _ = try update(renewsTriggers: true)
    #expect(try database.tracking == .attached)
    #expect(try count("quokka") == 0)
    #expect(try StoreFile.open(database.path).remarks == ["the table new is left out: it is not attached"])
    // Attaching again without names follows all tables.
    _ = try Attachment.attach(database.path)
    _ = try update(renewsTriggers: true)
    #expect(try count("quokka") == 1)
  }

  @Test func `a table that triggers cannot follow does not keep the others from being followed`() throws {
    try database.writer.execute(
      "CREATE TABLE odd (id INTEGER PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX u ON odd (lower(a))")
    _ = try Attachment.attach(database.path)
    #expect(try database.tracking == .attached)
    try database.writer.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
    #expect(try database.tracking == .attached)
    #expect(
      try StoreFile.open(database.path).remarks.sorted() == [
        "the table notes is left out: triggers cannot be put on a virtual table",
        "the table odd is left out: it is not attached",
      ])
  }
}
