// SPDX-License-Identifier: MIT

import Following
import ForeignStores
import Foundation
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// Ordinary databases, indexed by comparing rows or by the change log of `attach`.
@Suite(.overlapping)
struct DatabaseIndexTests {
  enum Way: String, CaseIterable { case compared, attached }

  private struct Bench {
    let path: String
    let index: IndexDirectory
    let writer: Connection
    let way: Way

    init(
      _ directory: TemporaryDirectory, _ schema: String, _ way: Way, keys: [String] = [], preserving: [String] = []
    ) throws {
      path = directory.file("any.sqlite")
      index = IndexDirectory(path: path + ".index")
      try Connection(path: path, access: .create).execute(schema)
      if way == .attached { _ = try Attachment.attach(path, keys: keys, preserving: preserving) }
      self.way = way
      writer = try Connection(path: path, access: .readWrite)
    }

    func pass(_ report: @escaping (String) -> Void = { _ in }) throws {
      var options = Indexer.Options(storePath: path, directory: index)
      options.report = report
      _ = try Pass.run(options)
    }

    /// `Entity/key: text text` for all records that a search finds, in the index and the overlay.
    func found(isIndexOnly: Bool = false) throws -> [String] {
      var request = SearchRequest(query: "*")
      request.limit = nil
      request.isIndexOnly = isIndexOnly
      let hits = try Searcher(storePath: path, directory: index).search(request).hits
      return hits.map { hit in "\(Self.name(hit.identifier.short)): \(hit.values.map(Self.text).joined(separator: " "))"
      }.sorted()
    }

    /// The same lines, read by SQL.
    func expected() throws -> [String] {
      var lines: [String] = []
      let sources = [
        ("plain", "id", "plain"), ("bare", "ifnull(name, 'p' || rowid)", "bare"), ("narrow", "k", "narrow"),
        ("child", "id", "child"),
        ("words", "1", "(SELECT tag, CAST(part AS TEXT) AS part, name, note FROM words)"),
        ("keyed", "1", way == .attached ? "keyed WHERE isbn IS NOT NULL" : "keyed"),
      ]
      for (table, key, rows) in sources {
        let rows = try writer.cursor("SELECT \(key), * FROM \(rows)")
        while try rows.step() {
          // The foreign key is a relationship, not an attribute.
          let columns = (1..<Int32(rows.columnCount)).filter { rows.columnName(at: $0) != "plain_id" }
          let values = columns.map { Self.text(rows.value(at: $0)) }
          lines.append("\(Self.name("\(table)/\(rows.text(at: 0))")): \(values.joined(separator: " "))")
        }
      }
      return lines.sorted()
    }

    /// The records with the word, from the index alone.
    func hits(_ word: String) throws -> [String] {
      var request = SearchRequest(query: word)
      request.limit = nil
      request.words = .all
      request.isIndexOnly = true
      return try Searcher(storePath: path, directory: index).search(request).hits
        .map { Self.name($0.identifier.short) }.sorted()
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
  }

  @Test(arguments: Rounds.seeds(12, long: 500), Way.allCases)
  func `after every statement the search results and the index equal the rows`(_ seed: Int, _ way: Way) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory, DatabaseHistories.schema, way, keys: [DatabaseHistories.key])
      // Rows in each table, so that the column types do not change during the test.
      try bench.writer.execute(
        """
        INSERT INTO plain VALUES (100, 'yak', 'yak'); INSERT INTO bare VALUES ('yak', 100, 100, 'yak');
        INSERT INTO narrow VALUES (100, 'yak', 'yak'); INSERT INTO child VALUES (100, 100, 'yak');
        INSERT INTO words VALUES ('yak', 'yak', 'yak', 'yak'); INSERT INTO keyed VALUES ('yak', 'yak', 'yak');
        """)
      try bench.pass()
      var histories = try DatabaseHistories(seed: seed, bench.writer)
      var statements: [String] = []
      for step in 0..<30 {
        statements.append(histories.step())
        guard histories.isBetweenTransactions else { continue }
        let expected = try bench.expected()
        #expect(try bench.found() == expected, "seed \(seed), overlay after \(statements.suffix(4))")
        guard step % 3 == 0 else { continue }
        var reports: [String] = []
        try bench.pass { reports.append($0) }
        #expect(try bench.found(isIndexOnly: true) == expected, "seed \(seed), index after \(statements.suffix(4))")
        if way == .attached { #expect(reports == [], "seed \(seed): the log suffices") }
        for word in ["ant", "bee", "ufo"] {
          var having = Set<String>()
          var numbered: [String] = []
          for line in expected where line.lowercased().split(separator: " ").dropFirst().contains(Substring(word)) {
            let name = String(line.prefix { $0 != ":" })
            if DatabaseHistories.numbered.contains(name) { numbered.append(name) } else { having.insert(name) }
          }
          // A child's document contains the name of the row that it refers to.
          let children = try bench.writer.cursor(
            "SELECT c.id FROM child c JOIN plain p ON p.id = c.plain_id WHERE lower(p.name) = '\(word)'")
          while try children.step() { having.insert("child/\(children.integer(at: 0))") }
          #expect(try bench.hits(word) == (having + numbered).sorted(), "seed \(seed)")
        }
      }
      histories.end()
      try bench.pass()
      #expect(try Verify(storePath: bench.path, directory: bench.index).run(isQuick: false).isEqual, "seed \(seed)")
    }
  }

  @Test func `the history keeps preserved values of a deleted row, and the author that the writer set`() throws {
    try TemporaryDirectory.with { directory in
      let schema = "CREATE TABLE books (isbn TEXT, added TEXT, title TEXT)"
      let bench = try Bench(
        directory, schema + "; INSERT INTO books VALUES ('1', '2001-01-02', 'One')", .attached,
        preserving: ["isbn", "added"])
      try bench.writer.execute(
        "BEGIN; UPDATE followspot_writer SET author = 'ann'; DELETE FROM books; "
          + "UPDATE followspot_writer SET author = NULL; COMMIT; INSERT INTO books VALUES ('2', '2001-01-03', 'Two')")
      var seen: [String] = []
      let store = try StoreFile.open(bench.path)
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
  }

  @Test func `a rebuilt table is detected and compared, and followed again after the next attach`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory, "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')", .attached)
      try bench.pass()
      try bench.writer.execute(
        "CREATE TABLE t2 (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t2 SELECT id, a, 'new' FROM t; "
          + "DROP TABLE t; ALTER TABLE t2 RENAME TO t; INSERT INTO t VALUES (2, 'two', 'new')")
      let store = try StoreFile.open(bench.path)
      #expect(store.tracking == .compared)
      #expect(
        store.remarks == [
          "triggers of the table t are missing: changes are found by comparing rows until the database is attached again"
        ])
      try bench.pass()
      #expect(try bench.hits("new") == ["t/1", "t/2"])
      try bench.writer.execute("DELETE FROM t WHERE id = 1")
      _ = try Attachment.attach(bench.path)
      #expect(try StoreFile.open(bench.path).tracking == .attached)
      try bench.pass()
      #expect(try bench.hits("new") == ["t/2"])
      try bench.writer.execute("UPDATE t SET a = 'three'")
      try bench.pass()
      #expect(try bench.hits("three") == ["t/2"])
    }
  }

  @Test func `changes between two attachments are not lost`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory, "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')", .attached)
      try bench.writer.execute("UPDATE t SET a = 'two'")
      try bench.pass()
      try bench.writer.execute("DROP TRIGGER followspot_1_update; UPDATE t SET a = 'lost'")
      _ = try Attachment.attach(bench.path)
      try bench.writer.execute("INSERT INTO t VALUES (2, 'after')")
      try bench.pass()
      #expect(try bench.hits("lost") == ["t/1"])
      #expect(try bench.hits("after") == ["t/2"])
    }
  }

  @Test(arguments: Way.allCases)
  func `VACUUM of a table without a stable key is detected`(_ way: Way) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory, "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one'), ('two'), ('three')", way)
      try bench.pass()
      try bench.writer.execute("DELETE FROM t WHERE a = 'one'")
      try bench.pass()
      try bench.writer.execute("VACUUM")
      try bench.pass()
      #expect(try [bench.hits("two"), bench.hits("three")] == [["t/1"], ["t/2"]])
    }
  }

  @Test func `detach restores the schema, byte by byte`() throws {
    try TemporaryDirectory.with { directory in
      let schema =
        DatabaseHistories.schema + "CREATE VIEW v AS SELECT 1; CREATE TABLE s (i INTEGER PRIMARY KEY AUTOINCREMENT, "
        + "'odd name' TEXT); CREATE TRIGGER own AFTER INSERT ON plain BEGIN DELETE FROM bare; END;"
      let bench = try Bench(directory, schema, .compared)
      func dump() throws -> [String] {
        let rows = try bench.writer.cursor("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
        var lines: [String] = []
        while try rows.step() { lines.append((0..<4).map { rows.text(at: $0) }.joined(separator: "|")) }
        return lines
      }
      let before = try dump()
      let planned = try Attachment.attach(bench.path, keys: ["isbn"], isDryRun: true)
      #expect(try dump() == before)
      let done = try Attachment.attach(bench.path, keys: ["isbn"])
      #expect(done.tables == planned.tables)
      #expect(done.tables == ["bare", "child", "keyed", "narrow", "plain", "s", "words"])
      #expect(try dump() != before)
      try bench.writer.execute("INSERT INTO plain VALUES (1, 'a', 'b')")
      _ = try Attachment.detach(bench.path)
      #expect(try dump() == before)
      let error = #expect(throws: StoreError.self) { _ = try Attachment.detach(bench.path) }
      #expect(error?.message == "\(bench.path) is not attached")
    }
  }

  @Test func `a key that attach names survives VACUUM, and its number is always the same`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        "CREATE TABLE t (isbn TEXT UNIQUE, a TEXT); INSERT INTO t VALUES ('x', 'one'), ('y', 'two'), ('z', 'six')",
        .attached, keys: ["isbn"])
      try bench.pass()
      let (one, two) = (try bench.hits("one"), try bench.hits("two"))
      #expect(one.count == 1 && two.count == 1 && one != two)
      try bench.writer.execute("DELETE FROM t WHERE isbn = 'x'; INSERT INTO t VALUES (NULL, 'nothing'); VACUUM")
      try bench.pass()
      #expect(try bench.hits("two") == two && bench.hits("nothing") == [])
      let store = try StoreFile.open(bench.path, access: .readWrite)
      while try !HistoryPurger(store).step(before: .max).isEmpty {}
      try bench.writer.execute("INSERT INTO t VALUES ('x', 'one')")
      try bench.pass()
      #expect(try bench.hits("one") == one)
      // The key is kept if attach is repeated without it.
      _ = try Attachment.attach(bench.path)
      try bench.pass()
      #expect(try bench.hits("one") == one)
      let error = #expect(throws: StoreError.self) { _ = try Attachment.attach(bench.path, keys: ["a"]) }
      #expect(error?.message == "t.a cannot be a key: it has no unique index")
    }
  }

  @Test func `a purge removes log entries that every index has read, and keeps the newest one`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory, "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", .attached)
      try bench.writer.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
      try bench.pass()
      let store = try StoreFile.open(bench.path, access: .readWrite)
      var removed = HistoryPurge()
      while case let step = try HistoryPurger(store).step(before: .max, transactions: 1), !step.isEmpty {
        removed += step
      }
      #expect(removed == HistoryPurge(transactions: 2, changes: 2))
      #expect(try store.oldest() == 3)
      try bench.writer.execute("DELETE FROM t WHERE id = 2")
      var reports: [String] = []
      try bench.pass { reports.append($0) }
      #expect(reports == [])
      #expect(try bench.hits("two") == [])
      #expect(throws: StoreError.self) { _ = try store.save { _ in } }
    }
  }
}
