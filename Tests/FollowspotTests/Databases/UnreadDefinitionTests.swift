// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Databases with definitions that only other versions of SQLite, or other engines, can read.
@Suite(.overlapping, .temporaryDirectory)
struct UnreadDefinitionTests {
  private static let schema = """
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books VALUES (1, 'heron'), (2, 'gannet');
    CREATE TABLE prices (id INTEGER PRIMARY KEY, name TEXT, amount INTEGER DEFAULT 1000);
    CREATE INDEX by_amount ON prices(amount); INSERT INTO prices (id, name) VALUES (1, 'lilac'), (2, 'lilac');
    """
  private static let numeral = "UPDATE sqlite_schema SET sql = replace(sql, '1000', '1_000') WHERE name = 'prices'"
  private static let readable = "UPDATE sqlite_schema SET sql = replace(sql, '1_000', '1000') WHERE name = 'prices'"

  /// What only others can read, and the sentence on it.
  static let definitions: [(String, String?)] = [
    (
      "INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT string_agg(title, '','' ORDER BY id)"
        + " FROM books')", "the view v is left out: "
    ),
    (
      "INSERT INTO sqlite_schema VALUES ('trigger', 'a', 'books', 0, 'CREATE TRIGGER a AFTER INSERT ON books BEGIN "
        + "SELECT string_agg(title, '','' ORDER BY id) FROM books; END')", "the trigger a is left out: "
    ),
    (numeral, "the table prices is left out: "),
    // SQLite reads such a table, and does not know only what follows.
    ("UPDATE sqlite_schema SET sql = sql || ' RANDOM ROWID' WHERE name = 'prices'", nil),
  ]

  /// Changes a database as a newer SQLite would: this one would not run the statement.
  private func change(_ database: IndexedDatabase, _ sql: String) throws {
    let newer = try Connection(path: database.path, access: .readWrite)
    try newer.execute("PRAGMA writable_schema = ON")
    let version = try newer.integer("PRAGMA schema_version") ?? 0
    try newer.execute("\(sql); PRAGMA schema_version = \(version + 1)")
  }

  /// Writes the version of SQLite that wrote the file last into its header.
  private func setWriter(_ number: UInt32, of database: IndexedDatabase) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: database.path))
    try file.seek(toOffset: 96)
    try file.write(contentsOf: withUnsafeBytes(of: number.bigEndian) { Data($0) })
    try file.close()
  }

  private func expectNoDamage(_ sentence: String) {
    #expect(
      !sentence.contains("damage") && !sentence.contains("backup") && !sentence.contains("malformed"), "\(sentence)")
  }

  @Test(arguments: definitions)
  func `the rest of a database is read, and what is left out is named`(_ sql: String, _ sentence: String?) throws {
    let database = try IndexedDatabase(Self.schema)
    try change(database, sql)
    try setWriter(3_046_001, of: database)
    let remarks = try StoreFile.open(database.path).remarks
    #expect(remarks.count == (sentence == nil ? 0 : 1), "\(remarks)")
    #expect(remarks.allSatisfy { $0.hasPrefix(sentence ?? "") }, "\(remarks)")
    #expect(remarks.allSatisfy { $0.hasSuffix("; SQLite 3.46.1 wrote the file last") }, "\(remarks)")
    remarks.forEach(expectNoDamage)
    try database.update()
    for isIndexOnly in [true, false] { #expect(try database.hits("gannet", isIndexOnly: isIndexOnly) == ["books/2"]) }
    let lacksTable = sentence?.contains("table") == true
    #expect(try database.hits("lilac") == (lacksTable ? [] : ["prices/1", "prices/2"]))
    #expect(try database.search("gannet").notes == (lacksTable ? remarks : []))
    #expect(try database.isEqual)
    try change(database, "UPDATE books SET title = 'osprey' WHERE id = 2")
    #expect(try database.hits("osprey") == ["books/2"])
    try database.update()
    #expect(try database.isEqual)
    let error = #expect(throws: StoreError.self) { _ = try Attachment.attach(database.path) }
    #expect(error?.recovery == .updateSQLite(Connection.libraryVersion))
    #expect(error?.description.contains("cannot read a definition of \(database.path)") == true)
    expectNoDamage(error?.description ?? "")
  }

  @Test func `records of a table that cannot be read any more stay in the index`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    func documents() throws -> Int {
      try IndexReader(path: #require(try database.index.serving()).path).documentCount()
    }
    try change(database, Self.numeral)
    let sentence = "the table prices is left out: SQLite \(Connection.libraryVersion) cannot read its definition "
    let verify = Verify(storePath: database.path, directory: database.index)
    let rebuild = Rebuild(storePath: database.path, directory: database.index)
    for work in [{ try database.update() }, { try verify.run(isQuick: true) }, { try verify.repair() }, rebuild.run]
      as [() throws -> Any]
    {
      let error = #expect(throws: StoreError.self) { _ = try work() }
      #expect(error?.code == .unreadable && error?.message.contains(sentence) == true, "\(String(describing: error))")
      #expect(try documents() == 4)
    }
    let result = try database.search("heron")
    #expect(result.hits.map(\.identifier.short) == ["books/1"])
    #expect(result.notes.joined().contains(sentence), "\(result.notes)")
    var strict = SearchRequest(query: "heron")
    strict.mostLag = 0
    #expect(throws: (any Error).self) {
      try Searcher(storePath: database.path, directory: database.index).search(strict)
    }
    // Nothing was lost when it can be read again.
    try change(database, Self.readable)
    try database.update()
    #expect(try documents() == 4)
    #expect(try database.hits("lilac") == ["prices/1", "prices/2"])
    #expect(try database.isEqual)
  }

  @Test func `a table without a root page is damage`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    try change(database, "UPDATE sqlite_schema SET rootpage = 4000000 WHERE name = 'prices'")
    let error = #expect(throws: StoreError.self) { try StoreFile.open(database.path) }
    #expect(error?.code == .corrupt)
  }
}
