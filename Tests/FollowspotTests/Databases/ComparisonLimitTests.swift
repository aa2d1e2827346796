// SPDX-License-Identifier: MIT

import Following
import Indexing
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// Databases whose comparison with the index exceeds its limits.
@Suite(.overlapping)
struct ComparisonLimitTests {
  private func with(_ body: (_ path: String, IndexDirectory, Connection) throws -> Void) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("any.sqlite")
      let index = IndexDirectory(path: path + ".index")
      let writer = try Connection(path: path, access: .create)
      // Time is checked after each 256 rows.
      try writer.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
          + "WHERE i < 1000) INSERT INTO t SELECT i, 'row ' || i FROM n")
      _ = try Pass.run(Indexer.Options(storePath: path, directory: index))
      try body(path, index, writer)
    }
  }

  private var noTime: ChangeLimits {
    var limits = ChangeLimits()
    limits.milliseconds = -1
    return limits
  }

  @Test func `a database that was not compared may have changed, and each hit says whether its row has`() throws {
    try with { path, index, writer in
      // SQLite writes nothing for a value that is the same.
      try writer.execute("UPDATE t SET a = '-' WHERE id = 1; UPDATE t SET a = 'row 1' WHERE id = 1")
      let may = "the database may have changed since it was indexed"
      let status = try Status(storePath: path, directory: index, limits: noTime)
      #expect(status.verdict == .mayHaveChanged)
      #expect(status.index?.state.sentence(of: status.verdict) == may)
      #expect(try Status(storePath: path, directory: index).verdict == .valid)
      #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
      var request = SearchRequest(query: "row 7")
      request.words = .all
      request.overlayLimits = noTime
      let searcher = try Searcher(storePath: path, directory: index)
      var result = try searcher.search(request)
      #expect(result.notes == [may + "; the index has to be updated"])
      #expect(result.hits.map(\.freshness) == [.indexed])
      try writer.execute("UPDATE t SET a = 'line 7' WHERE id = 7")
      result = try searcher.search(request)
      #expect(result.hits.map(\.freshness) == [.changed])
      #expect(try Status(storePath: path, directory: index, limits: noTime).verdict == .mayHaveChanged)
      #expect(try Status(storePath: path, directory: index).verdict == .changed)
    }
  }

  @Test func `more changed rows than an overlay may have are a change`() throws {
    try with { path, index, writer in
      try writer.execute("UPDATE t SET a = 'line' WHERE id < 30")
      var request = SearchRequest(query: "row")
      request.overlayLimits.changes = 20
      request.overlayLimits.milliseconds = 1_000_000
      let searcher = try Searcher(storePath: path, directory: index)
      #expect(
        try searcher.search(request).notes
          == ["the database has changed since it was indexed; the index has to be updated"])
      #expect(
        try Status(storePath: path, directory: index, limits: request.overlayLimits).verdict == .changed)
    }
  }
}
