// SPDX-License-Identifier: MIT

import Following
import ForeignStores
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// Tables that are created in a database after it was attached.
@Suite(.overlapping)
struct NewTableTests {
  private struct Bench {
    let path: String
    let index: IndexDirectory
    let writer: Connection

    init(_ directory: TemporaryDirectory) throws {
      path = directory.file("any.sqlite")
      index = IndexDirectory(path: path + ".index")
      writer = try Connection(path: path, access: .create)
      try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')")
    }

    func createTable() throws {
      try writer.execute(
        "CREATE TABLE new (code TEXT PRIMARY KEY, a TEXT) WITHOUT ROWID; INSERT INTO new VALUES ('x', 'quokka')")
    }

    /// Passes of one indexer, as of a follower.
    func reports(renewsTriggers: Bool, passes: Int = 3) throws -> [String] {
      final class Reports { var lines: [String] = [] }
      let reports = Reports()
      var options = Indexer.Options(storePath: path, directory: index)
      options.report = { reports.lines.append($0) }
      options.renewsTriggers = renewsTriggers
      let indexer = Indexer(options)
      for _ in 0..<passes { try indexer.catchUp() }
      return reports.lines
    }

    func count(_ query: String, isIndexOnly: Bool = true) throws -> Int {
      var request = SearchRequest(query: query)
      request.isIndexOnly = isIndexOnly
      return try Searcher(storePath: path, directory: index).search(request).hits.count
    }

    var tracking: ChangeTracking { get throws { try StoreFile.open(path).tracking } }
    var isEqual: Bool {
      get throws { try Verify(storePath: path, directory: index).run(isQuick: false).isEqual }
    }
  }

  @Test func `a single pass says so, and finds its rows by comparison`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      _ = try Attachment.attach(bench.path)
      _ = try bench.reports(renewsTriggers: false)
      try bench.createTable()
      let reports = try bench.reports(renewsTriggers: false)
      #expect(
        reports.contains(
          "triggers of the new table new are missing: rows are compared until the database is attached again"),
        "\(reports)")
      #expect(try bench.tracking == .compared)
      #expect(try bench.count("quokka") == 1)
      try bench.writer.execute("UPDATE new SET a = 'kiwi'; UPDATE t SET a = 'kiwi'")
      #expect(try bench.count("kiwi", isIndexOnly: false) == 2)
      _ = try bench.reports(renewsTriggers: false)
      #expect(try bench.count("kiwi") == 2)
      #expect(try bench.isEqual)
    }
  }

  @Test func `a follower puts triggers on it, and then its log records changes`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      _ = try Attachment.attach(bench.path)
      _ = try bench.reports(renewsTriggers: true)
      try bench.createTable()
      let reports = try bench.reports(renewsTriggers: true)
      #expect(
        reports.contains("triggers of the new table new are missing: they were put back"), "\(reports)")
      #expect(try bench.tracking == .attached)
      #expect(try bench.count("quokka") == 1)
      try bench.writer.execute("UPDATE new SET a = 'kiwi'; INSERT INTO new VALUES ('y', 'kiwi'); DELETE FROM t")
      #expect(try bench.reports(renewsTriggers: true, passes: 1) == [])
      #expect(try bench.count("kiwi") == 2)
      #expect(try bench.count("one") == 0)
      #expect(try bench.isEqual)
      _ = try Attachment.detach(bench.path)
      #expect(try bench.writer.integer("SELECT count(*) FROM sqlite_master") == 2)
    }
  }

  @Test func `where attach chose the tables, it is left out and said`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      _ = try Attachment.attach(bench.path, tables: ["t"])
      _ = try bench.reports(renewsTriggers: true)
      try bench.createTable()
      _ = try bench.reports(renewsTriggers: true)
      #expect(try bench.tracking == .attached)
      #expect(try bench.count("quokka") == 0)
      #expect(try StoreFile.open(bench.path).remarks == ["the table new is left out: it is not attached"])
      // Attaching again without names follows all tables.
      _ = try Attachment.attach(bench.path)
      _ = try bench.reports(renewsTriggers: true)
      #expect(try bench.count("quokka") == 1)
    }
  }

  @Test func `a table that triggers cannot follow does not keep the others from being followed`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory)
      try bench.writer.execute(
        "CREATE TABLE odd (id INTEGER PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX u ON odd (lower(a))")
      _ = try Attachment.attach(bench.path)
      #expect(try bench.tracking == .attached)
      try bench.writer.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
      #expect(try bench.tracking == .attached)
      #expect(
        try StoreFile.open(bench.path).remarks.sorted() == [
          "the table notes is left out: triggers cannot be put on a virtual table",
          "the table odd is left out: it is not attached",
        ])
    }
  }
}
