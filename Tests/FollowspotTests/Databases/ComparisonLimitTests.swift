// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Databases whose comparison with the index exceeds its limits.
@Suite(.overlapping, .temporaryDirectory)
struct ComparisonLimitTests {
  private let database: IndexedDatabase

  init() throws {
    // Time is checked after each 256 rows.
    database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        + "WHERE i < 1000) INSERT INTO t SELECT i, 'row ' || i FROM n")
    try database.update()
  }

  private func status(_ limits: ChangeLimits = ChangeLimits()) throws -> Status {
    try Status(storePath: database.path, directory: database.index, limits: limits)
  }

  private var noTime: ChangeLimits {
    var limits = ChangeLimits()
    limits.milliseconds = -1
    return limits
  }

  @Test func `a database that was not compared may have changed, and each hit says whether its row has`() throws {
    // SQLite writes nothing for a value that is the same.
    try database.writer.execute("UPDATE t SET a = '-' WHERE id = 1; UPDATE t SET a = 'row 1' WHERE id = 1")
    let may = "the database may have changed since it was indexed"
    let limited = try status(noTime)
    #expect(limited.verdict == .mayHaveChanged)
    #expect(limited.index?.state.sentence(of: limited.verdict) == may)
    #expect(try status().verdict == .valid)
    #expect(try database.isEqual)
    var request = SearchRequest(query: "row 7")
    request.words = .all
    request.overlayLimits = noTime
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    var result = try searcher.search(request)
    #expect(result.notes == [may + "; the index has to be updated"])
    #expect(result.hits.map(\.freshness) == [.indexed])
    try database.writer.execute("UPDATE t SET a = 'line 7' WHERE id = 7")
    result = try searcher.search(request)
    #expect(result.hits.map(\.freshness) == [.changed])
    #expect(try status(noTime).verdict == .mayHaveChanged)
    #expect(try status().verdict == .changed)
  }

  @Test func `more changed rows than an overlay may have are a change`() throws {
    try database.writer.execute("UPDATE t SET a = 'line' WHERE id < 30")
    var request = SearchRequest(query: "row")
    request.overlayLimits.changes = 20
    request.overlayLimits.milliseconds = 1_000_000
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    #expect(
      try searcher.search(request).notes
        == ["the database has changed since it was indexed; the index has to be updated"])
    #expect(
      try status(request.overlayLimits).verdict == .changed)
  }
}
