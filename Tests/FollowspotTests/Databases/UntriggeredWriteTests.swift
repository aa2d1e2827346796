// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Writes to an attached database that fire no triggers, as those of Fossil.
@Suite(
  .overlapping, .temporaryDirectory,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3"), "there is no sqlite3"))
struct UntriggeredWriteTests {
  /// One transaction.
  enum Write: String, Sendable {
    case logged, loggedTwice, silent, silentDelete, other, checkpoint

    var sql: String {
      switch self {
      case .logged: "INSERT INTO t (a) VALUES ('logged')"
      case .loggedTwice: "BEGIN; INSERT INTO t (a) VALUES ('twice'); UPDATE t SET a = 'twice' WHERE id = 1; COMMIT"
      case .silent: "INSERT INTO t (a) VALUES ('silent'); UPDATE t SET a = 'silent' WHERE id = 2"
      case .silentDelete: "DELETE FROM t WHERE id = 3"
      case .other: "INSERT INTO other (a) VALUES (randomblob(2000)); UPDATE other SET a = randomblob(2000) WHERE id = 1"
      case .checkpoint: "PRAGMA wal_checkpoint(TRUNCATE)"
      }
    }
  }

  private static let modes = ["DELETE", "WAL"]

  private static let orders: [[Write]] = [
    [.silent], [.silentDelete], [.silent, .logged], [.logged, .silent], [.loggedTwice, .silent],
    [.silent, .loggedTwice],
    [.logged, .silentDelete, .logged], [.silent, .checkpoint], [.silent, .checkpoint, .logged],
    [.checkpoint, .loggedTwice, .silent], [.other, .silent, .other],
  ]

  /// A database of which one of two tables is attached, and its index.
  private func fixture(_ mode: String) throws -> IndexedDatabase {
    let database = try IndexedDatabase(
      """
      PRAGMA journal_mode = \(mode); CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
      CREATE TABLE other (id INTEGER PRIMARY KEY, a BLOB);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT i, 'row ' || i FROM n
      """)
    _ = try Attachment.attach(database.path, tables: ["t"])
    try database.update()
    return database
  }

  /// Writes as a program with triggers, or as another one without.
  private func write(_ write: Write, to database: IndexedDatabase) throws {
    guard [.silent, .silentDelete].contains(write) else { return try database.writer.execute(write.sql) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [database.path, ".dbconfig enable_trigger off", write.sql]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// The identifiers of rows with a word, according to SQL.
  private func rows(with word: String, in database: IndexedDatabase) throws -> [String] {
    try database.writer.mapRows("SELECT id FROM t WHERE ' ' || a || ' ' LIKE ?1", [.text("% \(word) %")]) {
      "t/\($0.integer(at: 0))"
    }.sorted()
  }

  private func expectRows(
    _ database: IndexedDatabase, isIndexOnly: Bool, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for word in ["row", "logged", "twice", "silent"] {
      let found = try database.hits(word, isIndexOnly: isIndexOnly)
      #expect(found == (try rows(with: word, in: database)), "\(word): \(comment)", sourceLocation: sourceLocation)
    }
  }

  private var noTime: ChangeLimits {
    var limits = ChangeLimits()
    limits.milliseconds = -1
    return limits
  }

  private func status(_ database: IndexedDatabase, _ limits: ChangeLimits = ChangeLimits()) throws -> Status {
    try Status(storePath: database.path, directory: database.index, limits: limits)
  }

  private func state(_ database: IndexedDatabase) throws -> IndexState {
    try IndexState.read(path: try #require(try database.index.serving()).path)
  }

  @Test(arguments: modes, orders)
  func `a write without triggers is found, whatever comes before and after it`(mode: String, order: [Write]) throws {
    let database = try fixture(mode)
    for write in order { try self.write(write, to: database) }
    // Without a pass, and without the time to compare rows.
    try expectRows(database, isIndexOnly: false, "\(order)")
    #expect(try status(database).verdict == .unexplained)
    let limited = try status(database, noTime)
    #expect(limited.verdict == .unexplained && limited.lagTransactions == nil && limited.lagSeconds == nil)
    var request = SearchRequest(query: "nothing")
    request.overlayLimits = noTime
    let answer = try Searcher(storePath: database.path, directory: database.index).search(request)
    #expect(answer.index.lagTransactions == nil && answer.index.isNewest == nil)
    #expect(answer.notes.first?.contains("may have changed without triggers") == true, "\(answer.notes)")
    #expect(answer.notes.last == "no indexed record has the word 'nothing'")
    // A pass finds them, and the next one has nothing to do.
    let reports = try database.update()
    #expect(reports.contains { $0.contains("without triggers; reconciled: ") }, "\(reports)")
    #expect(try state(database).lastReconcile?.foundUnexplained == true)
    try expectRows(database, isIndexOnly: true, "\(order)")
    #expect(try database.isEqual)
    #expect(try status(database, noTime).verdict == .valid)
    #expect(try database.update() == [])
  }

  @Test(arguments: modes)
  func `the log explains writes with triggers, one transaction at a time`(mode: String) throws {
    let database = try fixture(mode)
    for write in [Write.logged, .loggedTwice, .logged] {
      try self.write(write, to: database)
      #expect(try status(database, noTime).verdict == .valid)
      #expect(try database.update() == [])
      try expectRows(database, isIndexOnly: true, "\(write)")
    }
    #expect(try state(database).pause.isNone)
  }

  @Test func `in WAL mode, neither several writes, other tables nor checkpoints cost a comparison`() throws {
    let database = try fixture("WAL")
    for round in 1...5 {
      for write in [Write.other, .loggedTwice, .other, .logged, .other] {
        try self.write(write, to: database)
        #expect(try status(database, noTime).verdict == .valid, "round \(round) \(write)")
      }
      #expect(try database.update() == [], "round \(round)")
      try expectRows(database, isIndexOnly: true, "round \(round)")
      try write(.checkpoint, to: database)
      #expect(try status(database, noTime).verdict == .valid, "round \(round)")
    }
    #expect(try state(database).pause.isNone && state(database).lastReconcile == nil)
  }

  @Test func `elsewhere, comparisons that find nothing become rare, and answers say meanwhile that they do not know`()
    throws
  {
    let database = try fixture("DELETE")
    var now = 1_000.0
    var comparisons = 0
    for _ in 1...20 {
      try write(.other, to: database)
      let before = try state(database).pause
      try database.update { ($0.clock, $0.skippedPause) = ({ now }, 0) }
      if try state(database).pause != before { comparisons += 1 }
    }
    #expect(comparisons == 1)
    #expect(try status(database, noTime).verdict == .unexplained)
    try write(.silent, to: database)
    try database.update { ($0.clock, $0.skippedPause) = ({ now }, 0) }
    #expect(try rows(with: "silent", in: database) == database.hits("silent"))
    now += 3_600
    try database.update { $0.clock = { now } }
    try expectRows(database, isIndexOnly: true, "after the pause")
    // What was found is evidence: the next comparison needs no pause.
    try write(.silentDelete, to: database)
    try database.update { $0.clock = { now } }
    try expectRows(database, isIndexOnly: true, "after a find")
    #expect(try database.isEqual)
  }

  @Test func `a pause grows while nothing is found, and is longer after longer comparisons`() {
    var pause = ComparisonPause()
    #expect(pause.isNone && pause.rest(5) == 0)
    var lengths: [Double] = []
    for _ in 1...9 {
      pause.begin(found: false, took: 0.5, now: 100)
      lengths.append(pause.rest(100))
    }
    #expect(lengths == [1, 2, 4, 8, 16, 32, 64, 100, 100])
    #expect(pause.rest(150) == 50 && pause.rest(200) == 0 && pause.rest(90) == 0)
    pause.begin(found: false, took: 1_000, now: 100)
    #expect(pause.rest(100) == 2_000)
    pause.begin(found: false, took: 1_000, now: 100)
    #expect(pause.rest(100) == 3_600)
    pause.begin(found: true, took: 0.5, now: 100)
    #expect(pause.rest(100) == 0)
  }

  @Test func `random writes by two programs are found in both modes`() throws {
    var generator = SeededGenerator(seed: 4)
    for mode in Self.modes {
      let database = try fixture(mode)
      var now = 0.0
      for _ in 1...12 {
        let writes = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          [Write.logged, .loggedTwice, .silent, .silentDelete, .other, .checkpoint].randomElement(using: &generator)!
        }
        for write in writes { try self.write(write, to: database) }
        try expectRows(database, isIndexOnly: false, "\(mode) \(writes)")
        now += 3_600
        try database.update { $0.clock = { now } }
        try expectRows(database, isIndexOnly: true, "\(mode) \(writes)")
      }
      #expect(try database.isEqual)
    }
  }
}
