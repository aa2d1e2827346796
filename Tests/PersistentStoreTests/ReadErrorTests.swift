// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Every read error is a `StoreError`, including errors of cursors.
@Suite(.temporaryDirectory) struct ReadErrorTests {
  /// A store in which all pages of a table and its indexes were overwritten.
  private func makeDamage(of table: String) throws -> PersistentStore {
    let bench = try StoreFixture()
    try bench.addFilms("Up", "Coco")
    try bench.outside.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let roots = try bench.outside.cursor("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?1 AND rootpage > 0")
    try roots.bind(table, at: 1)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.path))
    while try roots.step() {
      try file.seek(toOffset: UInt64(roots.integer(at: 0) - 1) * 4_096)
      try file.write(contentsOf: Data(repeating: 0xff, count: 4_096))
    }
    try file.close()
    return try PersistentStore.open(bench.path)
  }

  @Test func `a row that cannot be read is a store error`() throws {
    let store = try makeDamage(of: "ZFILM")
    let film = try #require(store.layout.entities.last)
    let code = try storeErrorCode { _ = try store.rows(of: film, attributes: [0]).next() }
    #expect(code == .corrupt)
  }

  @Test func `a change that cannot be read is a store error`() throws {
    let store = try makeDamage(of: "ACHANGE")
    let code = try storeErrorCode { try store.eachChange(after: 0) { _, _ in true } }
    #expect(code == .corrupt)
  }
}
