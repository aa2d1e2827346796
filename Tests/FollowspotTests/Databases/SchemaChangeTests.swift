// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Changes of the schema of an attached database, of which some change rows without a trigger.
@Suite(.overlapping, .temporaryDirectory)
struct SchemaChangeTests {
  static let flowers =
    "CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('iris'), ('rose'), ('jasmin'), ('lilac');"
    + "DELETE FROM t WHERE name = 'rose'"
  static let books =
    "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, note TEXT);"
    + "INSERT INTO book VALUES (1, 'Excession', 'ship'), (2, 'Matter', 'shell'), (5, 'Inversions', 'court')"

  /// The words of all rows, each with the rows that have it, as SQL finds them.
  private func expectRows(
    _ database: IndexedDatabase, _ table: String, key: String, words: String, isIndexOnly: Bool = false
  ) throws {
    let rows = try database.writer.cursor("SELECT \(key), \(words) FROM \(table)")
    var expected: [String: [String]] = [:]
    while try rows.step() {
      for word in rows.text(at: 1).split(separator: " ") {
        expected[String(word), default: []].append("\(table)/\(rows.integer(at: 0))")
      }
    }
    for (word, identifiers) in expected {
      let result = try database.search(word, isIndexOnly: isIndexOnly)
      #expect(result.hits.map(\.identifier.short).sorted() == identifiers.sorted(), "\(word)")
      #expect(result.notes == [], "\(word)")
    }
    #expect(try database.search("*", isIndexOnly: isIndexOnly).hits.count == Set(expected.values.joined()).count)
  }

  @Test func `after VACUUM, rows without a key of their own are found under their new numbers`() throws {
    let database = try IndexedDatabase(Self.flowers, isAttached: true)
    try database.update()
    try database.writer.execute("VACUUM")
    try expectRows(database, "t", key: "rowid", words: "name")
    // Changes that the log has come in addition.
    try database.writer.execute("BEGIN; INSERT INTO t VALUES ('aster'); DELETE FROM t WHERE name = 'iris'; COMMIT")
    try expectRows(database, "t", key: "rowid", words: "name")
    let reports = try database.update()
    #expect(reports == ["the database may have changed since it was indexed: comparing the rows of t"])
    try expectRows(database, "t", key: "rowid", words: "name", isIndexOnly: true)
    #expect(try database.isEqual)
    #expect(try database.update() == [])
  }

  @Test func `a VACUUM of more rows than a search compares shows no document of another row`() throws {
    let database = try IndexedDatabase(Self.flowers, isAttached: true)
    try database.update()
    try database.writer.execute("VACUUM; INSERT INTO t VALUES ('lily')")
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    var request = SearchRequest(query: "jasmin")
    request.overlayLimits.changes = 1
    let missed = try searcher.search(request)
    #expect(missed.hits.isEmpty)
    #expect(missed.notes.contains { $0.contains("has changed since it was indexed") }, "\(missed.notes)")
    request.query = "iris"
    #expect(try searcher.search(request).hits.map(\.identifier.short) == ["t/1"])
  }

  @Test(arguments: [
    "CREATE INDEX i ON book (title)", "CREATE INDEX i ON book (title); CREATE INDEX j ON book (note); DROP INDEX i",
    "VACUUM", "CREATE VIEW v AS SELECT title FROM book; DROP VIEW v",
    "CREATE TRIGGER z AFTER INSERT ON book BEGIN SELECT 1; END; DROP TRIGGER z",
  ])
  func `a change of the schema that leaves the rows as they are is not mentioned, and nothing is compared`(
    _ statements: String
  ) throws {
    let database = try IndexedDatabase(Self.books, isAttached: true)
    try database.update()
    for _ in 0..<2 {
      for statement in statements.split(separator: "; ").map(String.init) {
        try? database.writer.execute(statement)
      }
      try expectRows(database, "book", key: "id", words: "title || ' ' || note")
      try database.writer.execute("UPDATE book SET note = 'orbital' WHERE id = 2")
      try expectRows(database, "book", key: "id", words: "title || ' ' || note")
      #expect(try database.update() == [])
    }
    try expectRows(database, "book", key: "id", words: "title || ' ' || note", isIndexOnly: true)
    #expect(try database.isEqual)
  }

  @Test func `a new index beside rows that VACUUM may renumber is not mentioned`() throws {
    let database = try IndexedDatabase(Self.flowers, isAttached: true)
    try database.update()
    try database.writer.execute("CREATE INDEX i ON t (name)")
    try expectRows(database, "t", key: "rowid", words: "name")
    #expect(try database.update() == [])
  }

  @Test(arguments: [
    "ALTER TABLE book DROP COLUMN note; ALTER TABLE book ADD COLUMN note TEXT",
    "ALTER TABLE book DROP COLUMN title; ALTER TABLE book RENAME COLUMN note TO title;"
      + "ALTER TABLE book ADD COLUMN note TEXT",
    "ALTER TABLE book DROP COLUMN note; UPDATE book SET title = 'Surface' WHERE id = 1;"
      + "ALTER TABLE book ADD COLUMN note TEXT; UPDATE book SET note = 'drone' WHERE id = 1; CREATE INDEX i ON book (id)",
  ])
  func `a column that is dropped and added again has lost its values`(_ statements: String) throws {
    let database = try IndexedDatabase(Self.books, isAttached: true)
    try database.update()
    try database.writer.execute(statements)
    for word in ["ship", "court", "drone", "surface", "shell"] {
      let expected = try database.writer.integer(
        "SELECT count(*) FROM book WHERE title LIKE '\(word)' OR note LIKE '\(word)'")
      #expect(try database.hits(word).count == Int(expected ?? 0), "\(word)")
    }
    try database.update()
    #expect(try database.isEqual)
  }

  @Test func `the rows of a dump that was restored in another file are compared`() throws {
    let database = try IndexedDatabase(Self.flowers, isAttached: true)
    try database.update()
    let restored = database.path + ".restored"
    do {
      let copy = try Connection(path: restored, access: .create)
      try copy.execute("ATTACH '\(database.path)' AS old")
      for type in ["table", "trigger"] {
        let objects = try database.writer.cursor(
          "SELECT name, sql FROM sqlite_master WHERE type = '\(type)' ORDER BY rowid")
        while try objects.step() {
          try copy.execute(objects.text(at: 1))
          if type == "table" {
            try copy.execute("INSERT INTO \(objects.text(at: 0)) SELECT * FROM old.\(objects.text(at: 0))")
          }
        }
      }
    }
    #expect(rename(restored, database.path) == 0)
    let connection = try Connection(path: database.path, access: .readOnly)
    #expect(try connection.integer("SELECT rowid FROM t WHERE name = 'lilac'") == 3)
    #expect(try database.hits("lilac") == ["t/3"])
    #expect(try database.hits("jasmin") == ["t/2"])
    try database.update()
    #expect(try database.hits("jasmin", isIndexOnly: true) == ["t/2"])
    #expect(try database.isEqual)
  }

  @Test(arguments: Rounds.seeds(3, full: 6, long: 60))
  func `answers equal the rows after any sequence of changes of rows and schema`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let words = ["ant", "bee", "cow", "dog", "elk", "fox"]
    let database = try IndexedDatabase(
      "CREATE TABLE bare (name TEXT, note TEXT); CREATE TABLE own (id INTEGER PRIMARY KEY, name TEXT, note TEXT)",
      isAttached: true)
    try database.update()
    for round in 0..<25 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let table = ["bare", "own"].randomElement(using: &random)!
        let (word, other) = (words.randomElement(using: &random)!, words.randomElement(using: &random)!)
        let statement =
          switch Int.random(in: 0..<10, using: &random) {
          case 0..<4: "INSERT INTO \(table) (name, note) VALUES ('\(word)', '\(other)')"
          case 4: "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE name = '\(word)' LIMIT 2)"
          case 5: "UPDATE \(table) SET note = '\(word)' WHERE name = '\(other)'"
          case 6: "VACUUM"
          case 7: "CREATE INDEX IF NOT EXISTS i ON \(table) (name)"
          case 8: "DROP INDEX IF EXISTS i"
          default: "ALTER TABLE \(table) DROP COLUMN note; ALTER TABLE \(table) ADD COLUMN note TEXT"
          }
        try database.writer.execute(statement)
      }
      for word in words {
        var expected: [String] = []
        for table in ["bare", "own"] {
          let rows = try database.writer.cursor(
            "SELECT rowid FROM \(table) WHERE ifnull(name, '') = '\(word)' OR ifnull(note, '') = '\(word)'")
          while try rows.step() { expected.append("\(table)/\(rows.integer(at: 0))") }
        }
        #expect(try database.hits(word) == expected.sorted(), "\(word) in round \(round) of \(seed)")
      }
      if Int.random(in: 0..<4, using: &random) == 0 { try database.update() }
    }
    try database.update()
    #expect(try database.isEqual)
  }
}
