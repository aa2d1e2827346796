// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@Suite(.temporaryDirectory)
struct CheckpointTests {
  private let directory = TemporaryDirectory()

  private func writer(_ name: String) throws -> Connection {
    let connection = try Connection(path: directory.file(name), access: .create)
    try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
    return connection
  }

  /// The rows in the main file alone.
  private func rowsInMainFile(_ name: String) throws -> Int64? {
    let copy = directory.file("copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(atPath: directory.file(name), toPath: copy)
    let connection = try Connection(path: copy, access: .readOnly)
    guard try connection.hasTable("t") else { return nil }
    return try connection.integer("SELECT count(*) FROM t")
  }

  @Test func `a checkpoint does not run while another connection may reset the log`() throws {
    let connection = try writer("a")
    try connection.execute("INSERT INTO t VALUES (1, 'one')")
    let other = try Connection(path: directory.file("a"), access: .readWrite)
    try other.beginWrite()
    try connection.checkpoint(milliseconds: 0)
    #expect(try rowsInMainFile("a") == nil)
    other.rollback()
    try connection.checkpoint()
    #expect(try rowsInMainFile("a") == 1)
    // The lock is free again.
    #expect(try other.beginWriteIfFree())
  }

  @Test func `SQLite's own checkpoints are off, and the log stays as small`() throws {
    let connection = try writer("b")
    #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 0)
    let log = directory.file("b-wal")
    var largest = 0
    for round in 1...40 {
      try connection.run("INSERT INTO t VALUES (?1, hex(zeroblob(200000)))", [.integer(Int64(round))])
      let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
      largest = max(largest, size ?? 0)
    }
    // 40 commits have about 4,000 pages, and a commit has 100.
    #expect(largest < 1_250 * 4_120, "\(largest)")
    #expect(try connection.integer("SELECT count(*) FROM t") == 40)
    #expect(try rowsInMainFile("b") ?? 0 > 20)
  }

  @Test func `the file of another database at the same path is not touched`() throws {
    let connection = try writer("c")
    try connection.execute("INSERT INTO t VALUES (1, 'one')")
    for suffix in ["", "-wal", "-shm"] { rename(directory.file("c\(suffix)"), directory.file("old\(suffix)")) }
    do { try writer("c").execute("INSERT INTO t VALUES (1, 'two'), (2, 'two')") }
    try connection.checkpoint()
    #expect(try rowsInMainFile("old") == nil)
    #expect(try rowsInMainFile("c") == 2)
  }

  @Test(arguments: [
    (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false), (3_046_001, true),
    (3_050_006, true), (3_050_007, false), (3_051_002, true), (3_051_003, false), (3_053_000, false),
  ])
  func `the versions with the WAL-reset bug are known`(_ version: Int, _ isAffected: Bool) {
    #expect(Connection.hasResetBug(version: version) == isAffected)
  }
}
