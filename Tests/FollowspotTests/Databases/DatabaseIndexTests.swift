// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import Store
import TestSupport
import Testing

/// Ordinary databases, indexed by comparing rows or by the change log of `attach`.
@Suite(.overlapping, .temporaryDirectory)
struct DatabaseIndexTests {
  /// `Entity/key: text text` for all records that a search finds, in the index and the overlay.
  private func found(_ database: IndexedDatabase, isIndexOnly: Bool = false) throws -> [String] {
    try database.search("*", isIndexOnly: isIndexOnly).hits
      .map { "\(Self.name($0.identifier.short)): \($0.values.map(Self.text).joined(separator: " "))" }.sorted()
  }

  /// The same lines, read by SQL.
  private func expected(_ database: IndexedDatabase, isAttached: Bool) throws -> [String] {
    var lines: [String] = []
    let sources = [
      ("plain", "id", "plain"), ("bare", "ifnull(name, 'p' || rowid)", "bare"), ("narrow", "k", "narrow"),
      ("child", "id", "child"),
      ("words", "1", "(SELECT tag, CAST(part AS TEXT) AS part, name, note FROM words)"),
      ("keyed", "1", isAttached ? "keyed WHERE isbn IS NOT NULL" : "keyed"),
    ]
    for (table, key, rows) in sources {
      let rows = try database.writer.cursor("SELECT \(key), * FROM \(rows)")
      while try rows.step() {
        let values = (1..<Int32(rows.columnCount)).map { Self.text(rows.value(at: $0)) }
        lines.append("\(Self.name("\(table)/\(rows.text(at: 0))")): \(values.joined(separator: " "))")
      }
    }
    return lines.sorted()
  }

  /// The records with the word, from the index alone.
  private func hits(_ word: String, _ database: IndexedDatabase) throws -> [String] {
    try database.hits(word, isIndexOnly: true).map(Self.name).sorted()
  }

  /// The identifier such as `plain/3`; only the entity if its keys have several spellings.
  private static func name(_ identifier: String) -> String {
    let entity = identifier.prefix { $0 != "/" }
    return DatabaseHistories.numbered.contains(String(entity)) ? String(entity) : identifier
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "-"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob: "blob"
    }
  }

  @Test(arguments: Rounds.seeds(3, full: 6, long: 500), [false, true])
  func `after every statement the search results and the index equal the rows`(_ seed: Int, isAttached: Bool) throws {
    let database = try IndexedDatabase(
      DatabaseHistories.schema, isAttached: isAttached, keys: isAttached ? [DatabaseHistories.key] : [])
    // Rows in each table, so that the column types do not change during the test.
    try database.writer.execute(
      """
      INSERT INTO plain VALUES (100, 'yak', 'yak'); INSERT INTO bare VALUES ('yak', 100, 100, 'yak');
      INSERT INTO narrow VALUES (100, 'yak', 'yak'); INSERT INTO child VALUES (100, 100, 'yak');
      INSERT INTO words VALUES ('yak', 'yak', 'yak', 'yak'); INSERT INTO keyed VALUES ('yak', 'yak', 'yak');
      """)
    try database.update()
    var histories = try DatabaseHistories(seed: seed, database.writer)
    var statements: [String] = []
    for step in 0..<30 {
      statements.append(histories.step())
      guard histories.isBetweenTransactions else { continue }
      let expected = try self.expected(database, isAttached: isAttached)
      #expect(try found(database) == expected, "seed \(seed), overlay after \(statements.suffix(4))")
      guard step % 3 == 0 else { continue }
      let reports = try database.update()
      #expect(try found(database, isIndexOnly: true) == expected, "seed \(seed), index after \(statements.suffix(4))")
      if isAttached { #expect(reports == [], "seed \(seed): the log suffices") }
      for word in ["ant", "bee", "ufo"] {
        var having = Set<String>()
        var numbered: [String] = []
        for line in expected where line.lowercased().split(separator: " ").dropFirst().contains(Substring(word)) {
          let name = String(line.prefix { $0 != ":" })
          if DatabaseHistories.numbered.contains(name) { numbered.append(name) } else { having.insert(name) }
        }
        // A child's document contains the name of the row that it refers to.
        let children = try database.writer.cursor(
          "SELECT c.id FROM child c JOIN plain p ON p.id = c.plain_id WHERE lower(p.name) = '\(word)'")
        while try children.step() { having.insert("child/\(children.integer(at: 0))") }
        #expect(try hits(word, database) == (having + numbered).sorted(), "seed \(seed)")
      }
    }
    histories.end()
    try database.update()
    #expect(try database.isEqual, "seed \(seed)")
  }

  @Test func `the history keeps preserved values of a deleted row, and the author that the writer set`() throws {
    let schema = "CREATE TABLE books (isbn TEXT, added TEXT, title TEXT)"
    let database = try IndexedDatabase(
      schema + "; INSERT INTO books VALUES ('1', '2001-01-02', 'One')", isAttached: true,
      preserving: ["isbn", "added"])
    try database.writer.execute(
      "BEGIN; UPDATE followspot_writer SET author = 'ann'; DELETE FROM books; "
        + "UPDATE followspot_writer SET author = NULL; COMMIT; INSERT INTO books VALUES ('2', '2001-01-03', 'Two')")
    var seen: [String] = []
    let store = try StoreFile.open(database.path)
    try store.transactions { transaction in
      for change in transaction.changes {
        seen.append(
          "\(transaction.number) \(transaction.author ?? "-") \(change.kind.name) p\(change.row.key) \(change.tombstone)"
        )
      }
    }
    #expect(
      seen == [
        "1 ann delete p1 [SQLite.Value.real(86400.0), SQLite.Value.text(\"1\")]",
        "2 - insert p1 []",
      ])
  }

  @Test func `a rebuilt table is detected and compared, and followed again after the next attach`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')", isAttached: true)
    try database.update()
    try database.writer.execute(
      "CREATE TABLE t2 (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t2 SELECT id, a, 'new' FROM t; "
        + "DROP TABLE t; ALTER TABLE t2 RENAME TO t; INSERT INTO t VALUES (2, 'two', 'new')")
    let store = try StoreFile.open(database.path)
    #expect(store.tracking == .compared)
    #expect(
      store.remarks == [
        "triggers of the table t are missing: changes are found by comparing rows until the database is attached again"
      ])
    try database.update()
    #expect(try hits("new", database) == ["t/1", "t/2"])
    try database.writer.execute("DELETE FROM t WHERE id = 1")
    _ = try Attachment.attach(database.path)
    #expect(try StoreFile.open(database.path).tracking == .attached)
    try database.update()
    #expect(try hits("new", database) == ["t/2"])
    try database.writer.execute("UPDATE t SET a = 'three'")
    try database.update()
    #expect(try hits("three", database) == ["t/2"])
  }

  @Test func `changes between two attachments are not lost`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')", isAttached: true)
    try database.writer.execute("UPDATE t SET a = 'two'")
    try database.update()
    try database.writer.execute("DROP TRIGGER followspot_1_update; UPDATE t SET a = 'lost'")
    _ = try Attachment.attach(database.path)
    try database.writer.execute("INSERT INTO t VALUES (2, 'after')")
    try database.update()
    #expect(try hits("lost", database) == ["t/1"])
    #expect(try hits("after", database) == ["t/2"])
  }

  @Test(arguments: [false, true])
  func `VACUUM of a table without a stable key is detected`(isAttached: Bool) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one'), ('two'), ('three')", isAttached: isAttached)
    try database.update()
    try database.writer.execute("DELETE FROM t WHERE a = 'one'")
    try database.update()
    try database.writer.execute("VACUUM")
    try database.update()
    #expect(try [hits("two", database), hits("three", database)] == [["t/1"], ["t/2"]])
  }

  @Test func `detach restores the schema, byte by byte`() throws {
    let schema =
      DatabaseHistories.schema + "CREATE VIEW v AS SELECT 1; CREATE TABLE s (i INTEGER PRIMARY KEY AUTOINCREMENT, "
      + "'odd name' TEXT); CREATE TRIGGER own AFTER INSERT ON plain BEGIN DELETE FROM bare; END;"
    let database = try IndexedDatabase(schema)
    func dump() throws -> [String] {
      let rows = try database.writer.cursor("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
      var lines: [String] = []
      while try rows.step() { lines.append((0..<4).map { rows.text(at: $0) }.joined(separator: "|")) }
      return lines
    }
    let before = try dump()
    let planned = try Attachment.attach(database.path, keys: ["isbn"], isDryRun: true)
    #expect(try dump() == before)
    let done = try Attachment.attach(database.path, keys: ["isbn"])
    #expect(done.tables == planned.tables)
    #expect(done.tables == ["bare", "child", "keyed", "narrow", "plain", "s", "words"])
    #expect(try dump() != before)
    try database.writer.execute("INSERT INTO plain VALUES (1, 'a', 'b')")
    _ = try Attachment.detach(database.path)
    #expect(try dump() == before)
    let error = #expect(throws: StoreError.self) { _ = try Attachment.detach(database.path) }
    #expect(error?.message == "\(database.path) is not attached")
  }

  @Test func `a key that attach names survives VACUUM, and its number is always the same`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (isbn TEXT UNIQUE, a TEXT); INSERT INTO t VALUES ('x', 'one'), ('y', 'two'), ('z', 'six')",
      isAttached: true, keys: ["isbn"])
    try database.update()
    let (one, two) = (try hits("one", database), try hits("two", database))
    #expect(one.count == 1 && two.count == 1 && one != two)
    try database.writer.execute("DELETE FROM t WHERE isbn = 'x'; INSERT INTO t VALUES (NULL, 'nothing'); VACUUM")
    try database.update()
    #expect(try hits("two", database) == two && hits("nothing", database) == [])
    let store = try StoreFile.open(database.path, access: .readWrite)
    while try !HistoryPurger(store).step(before: .max).isEmpty {}
    try database.writer.execute("INSERT INTO t VALUES ('x', 'one')")
    try database.update()
    #expect(try hits("one", database) == one)
    // The key is kept if attach is repeated without it.
    _ = try Attachment.attach(database.path)
    try database.update()
    #expect(try hits("one", database) == one)
    let error = #expect(throws: StoreError.self) { _ = try Attachment.attach(database.path, keys: ["a"]) }
    #expect(error?.message == "t.a cannot be a key: it has no unique index")
  }

  @Test func `a purge removes log entries that every index has read, and keeps the newest one`() throws {
    let database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", isAttached: true)
    try database.writer.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    try database.update()
    let store = try StoreFile.open(database.path, access: .readWrite)
    var removed = HistoryPurge()
    while case let step = try HistoryPurger(store).step(before: .max, transactions: 1), !step.isEmpty {
      removed += step
    }
    #expect(removed == HistoryPurge(transactions: 2, changes: 2))
    #expect(try store.oldest() == 3)
    try database.writer.execute("DELETE FROM t WHERE id = 2")
    let reports = try database.update()
    #expect(reports == [])
    #expect(try hits("two", database) == [])
    #expect(throws: StoreError.self) { _ = try store.save { _ in } }
  }
}
