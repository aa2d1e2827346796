// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Tables of an attached database that are rebuilt while a follower runs. Rebuilding removes their triggers.
@Suite(.overlapping, .temporaryDirectory)
struct RebuiltTableTests {
  /// A database with the tables `t` and `other`, of which `t` is attached.
  private func makeDatabase() throws -> IndexedDatabase {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two');"
        + "CREATE TABLE other (id INTEGER PRIMARY KEY, a TEXT)")
    _ = try Attachment.attach(database.path, tables: ["t"], preserving: ["a"])
    return database
  }

  /// Rebuilds a table as `sqlite-utils transform`, Django and Alembic do.
  private func rebuild(_ database: IndexedDatabase, adding column: String) throws {
    try database.writer.execute(
      "BEGIN; CREATE TABLE t_new (id INTEGER PRIMARY KEY, a TEXT, \(column) TEXT);"
        + "INSERT INTO t_new SELECT id, a, 'added \(column)' FROM t; DROP TABLE t;"
        + "ALTER TABLE t_new RENAME TO t; INSERT INTO t VALUES (3, 'three', 'three'); COMMIT")
  }

  @Test func `a follower restores the triggers, and the index equals the rows`() throws {
    let database = try makeDatabase()
    var options = database.options()
    var reports: [String] = []
    options.report = { reports.append($0) }
    options.renewsTriggers = true
    let indexer = Indexer(options)
    try indexer.catchUp()
    for (round, column) in ["b", "c"].enumerated() {
      try rebuild(database, adding: column)
      #expect(try database.tracking == .compared)
      reports = []
      // The first call detects that the schema has changed.
      for _ in 0..<3 { try indexer.catchUp() }
      #expect(try database.tracking == .attached, "round \(round)")
      #expect(reports.contains("triggers of the table t are missing: they were put back"), "\(reports)")
      #expect(try database.hits("added", isIndexOnly: true).count == 2)
      #expect(try database.hits("three", isIndexOnly: true).count == 1)
      // From now on, the log records changes.
      try database.writer.execute("UPDATE t SET a = 'later\(round)' WHERE id = 1; DELETE FROM t WHERE id = 3")
      reports = []
      try indexer.catchUp()
      #expect(try database.hits("later\(round)", isIndexOnly: true).count == 1)
      #expect(try database.hits("three", isIndexOnly: true).count == 0)
      #expect(reports == [])
    }
    let store = try StoreFile.open(database.path)
    #expect(store.layout.entities.map(\.entity.name) == ["t"], "no other table was attached")
    #expect(store.layout.entities[0].entity.attributes.filter(\.isPreservedOnDeletion).map(\.name) == ["a"])
    #expect(try database.isEqual)
  }

  @Test func `a single pass reports that triggers are missing, and does not change the database`() throws {
    let database = try makeDatabase()
    try database.update()
    try rebuild(database, adding: "b")
    let reports = try database.update()
    #expect(
      reports.contains("triggers of the table t are missing: rows are compared until the database is attached again"),
      "\(reports)")
    #expect(try database.tracking == .compared)
    #expect(try database.hits("added", isIndexOnly: true).count == 2)
  }

  @Test func `triggers that cannot be restored are reported once, and rows are compared`() throws {
    let database = try makeDatabase()
    var options = database.options()
    options.renewsTriggers = true
    options.busyMilliseconds = 10
    var reports: [String] = []
    options.report = { reports.append($0) }
    let indexer = Indexer(options)
    try indexer.catchUp()
    try database.writer.execute("PRAGMA journal_mode = WAL")
    try rebuild(database, adding: "b")
    // Another program holds the write lock.
    let other = try Connection(path: database.path, access: .readWrite)
    try other.beginWrite()
    for _ in 0..<3 { try indexer.catchUp() }
    #expect(reports.filter { $0.hasPrefix("triggers of the table t are missing and cannot be put back: ") }.count == 1)
    #expect(try database.hits("added", isIndexOnly: true).count == 2)
    #expect(try database.tracking == .compared)
    other.rollback()
    indexer.discard()
    try indexer.catchUp()
    #expect(try database.tracking == .attached)
  }
}
