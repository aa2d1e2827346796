// SPDX-License-Identifier: MIT

import Following
import ForeignStores
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// Tables of an attached database that are rebuilt while a follower runs. Rebuilding removes their triggers.
@Suite(.overlapping)
struct RebuiltTableTests {
  private struct Bench {
    let path: String
    let index: IndexDirectory
    let writer: Connection

    init(_ directory: TemporaryDirectory) throws {
      path = directory.file("any.sqlite")
      index = IndexDirectory(path: path + ".index")
      writer = try Connection(path: path, access: .create)
      try writer.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two');"
          + "CREATE TABLE other (id INTEGER PRIMARY KEY, a TEXT)")
      _ = try Attachment.attach(path, tables: ["t"], preserving: ["a"])
    }

    /// Rebuilds a table as `sqlite-utils transform`, Django and Alembic do.
    func rebuild(adding column: String) throws {
      try writer.execute(
        "BEGIN; CREATE TABLE t_new (id INTEGER PRIMARY KEY, a TEXT, \(column) TEXT);"
          + "INSERT INTO t_new SELECT id, a, 'added \(column)' FROM t; DROP TABLE t;"
          + "ALTER TABLE t_new RENAME TO t; INSERT INTO t VALUES (3, 'three', 'three'); COMMIT")
    }

    func count(_ query: String) throws -> Int {
      var request = SearchRequest(query: query)
      request.isIndexOnly = true
      return try Searcher(storePath: path, directory: index).search(request).hits.count
    }

    func isTracked(_ tracking: ChangeTracking) throws -> Bool { try StoreFile.open(path).tracking == tracking }
  }

  @Test func `a follower restores the triggers, and the index equals the rows`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      var options = Indexer.Options(storePath: bench.path, directory: bench.index)
      var reports: [String] = []
      options.report = { reports.append($0) }
      options.renewsTriggers = true
      let indexer = Indexer(options)
      try indexer.catchUp()
      for (round, column) in ["b", "c"].enumerated() {
        try bench.rebuild(adding: column)
        #expect(try bench.isTracked(.compared))
        reports = []
        // The first call detects that the schema has changed.
        for _ in 0..<3 { try indexer.catchUp() }
        #expect(try bench.isTracked(.attached), "round \(round)")
        #expect(reports.contains("triggers of the table t are missing: they were put back"), "\(reports)")
        #expect(try bench.count("added") == 2)
        #expect(try bench.count("three") == 1)
        // From now on, the log records changes.
        try bench.writer.execute("UPDATE t SET a = 'later\(round)' WHERE id = 1; DELETE FROM t WHERE id = 3")
        reports = []
        try indexer.catchUp()
        #expect(try bench.count("later\(round)") == 1)
        #expect(try bench.count("three") == 0)
        #expect(reports == [])
      }
      let store = try StoreFile.open(bench.path)
      #expect(store.layout.entities.map(\.entity.name) == ["t"], "no other table was attached")
      #expect(store.layout.entities[0].entity.attributes.filter(\.isPreservedOnDeletion).map(\.name) == ["a"])
      #expect(try Verify(storePath: bench.path, directory: bench.index).run(isQuick: false).isEqual)
    }
  }

  @Test func `a single pass reports that triggers are missing, and does not change the database`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      var options = Indexer.Options(storePath: bench.path, directory: bench.index)
      _ = try Pass.run(options)
      try bench.rebuild(adding: "b")
      var reports: [String] = []
      options.report = { reports.append($0) }
      _ = try Pass.run(options)
      #expect(
        reports.contains(
          "triggers of the table t are missing: rows are compared until the database is attached again"),
        "\(reports)")
      #expect(try bench.isTracked(.compared))
      #expect(try bench.count("added") == 2)
    }
  }

  @Test func `triggers that cannot be restored are reported once, and rows are compared`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      var options = Indexer.Options(storePath: bench.path, directory: bench.index)
      options.renewsTriggers = true
      options.busyMilliseconds = 10
      var reports: [String] = []
      options.report = { reports.append($0) }
      let indexer = Indexer(options)
      try indexer.catchUp()
      try bench.writer.execute("PRAGMA journal_mode = WAL")
      try bench.rebuild(adding: "b")
      // Another program holds the write lock.
      let other = try Connection(path: bench.path, access: .readWrite)
      try other.beginWrite()
      for _ in 0..<3 { try indexer.catchUp() }
      #expect(
        reports.filter { $0.hasPrefix("triggers of the table t are missing and cannot be put back: ") }.count == 1)
      #expect(try bench.count("added") == 2)
      #expect(try bench.isTracked(.compared))
      other.rollback()
      indexer.discard()
      try indexer.catchUp()
      #expect(try bench.isTracked(.attached))
    }
  }
}
