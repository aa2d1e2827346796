// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct PurgeTests {
  /// Ten transactions of two films each.
  private func fixture() throws -> StoreFixture {
    let bench = try StoreFixture()
    for number in 1...10 { try bench.addFilms("A\(number)", "B\(number)", author: "author \(number % 3)") }
    return bench
  }

  private func numbers(_ bench: StoreFixture) throws -> [String] {
    try bench.rows("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  private func purge(_ store: PersistentStore, before number: Int64, _ transactions: Int = 500, _ changes: Int = 5_000)
    throws -> [HistoryPurge]
  {
    var steps: [HistoryPurge] = []
    while true {
      let step = try HistoryPurger(store).step(before: number, transactions: transactions, changes: changes)
      if step.isEmpty { return steps }
      steps.append(step)
    }
  }

  @Test(
    arguments: [
      (-1, 1), (0, 1), (1, 1), (2, 2), (6, 6), (10, 10), (11, 10), (.max, 10),
    ] as [(Int64, Int64)])
  func `everything before the number is removed, but never the newest transaction`(
    _ number: Int64, _ oldest: Int64
  ) throws {
    let bench = try fixture()
    let expected = HistoryPurge(transactions: Int(oldest) - 1, changes: 2 * (Int(oldest) - 1))
    #expect(try HistoryPurger(bench.store).count(before: number) == expected)
    let steps = try purge(bench.store, before: number)
    #expect(steps == (expected.isEmpty ? [] : [expected]))
    #expect(try numbers(bench) == (oldest...10).map { String($0) })
    #expect(
      try bench.rows("SELECT DISTINCT ZTRANSACTIONID FROM ACHANGE ORDER BY 1") == (oldest...10).map { String($0) })
  }

  @Test func `only transactions and changes are removed, and no number is reused`() throws {
    let bench = try fixture()
    let tables = [
      "SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT", "SELECT * FROM ATRANSACTIONSTRING ORDER BY Z_PK",
      "SELECT Z_PK, ZTITLE FROM ZFILM ORDER BY Z_PK",
    ]
    let before = try tables.map(bench.rows)
    _ = try purge(bench.store, before: 10)
    #expect(try tables.map(bench.rows) == before)
    #expect(try bench.addFilms("Z").transaction == 11)
    #expect(try bench.rows("SELECT MIN(Z_PK), MAX(Z_PK) FROM ACHANGE") == ["19|21"])
  }

  @Test func `a token at the bound is valid, and one before it has expired`() throws {
    let bench = try fixture()
    let tokens = try (1...10).map { try bench.store.token(of: Int64($0)) }
    _ = try purge(bench.store, before: 6)
    #expect(try bench.store.verdict(on: tokens[5]) == .valid)
    #expect(try bench.store.verdict(on: tokens[9]) == .valid)
    #expect(try bench.store.verdict(on: tokens[4]) == .expired(missing: [5...5]))
    #expect(try bench.store.missingTransactions(after: 0) == [1...5])
    #expect(try bench.store.hasTransaction(5) == false)
    #expect(try bench.store.hasTransaction(6))
  }

  @Test func `a step is small, and no transaction is incomplete between steps`() throws {
    do {
      let bench = try fixture()
      try bench.store.save { save in
        for number in 1...50 { try save.insert(bench.actor, [.text("actor \(number)")]) }
      }
      try bench.addFilms("last")
      let steps = try purge(bench.store, before: 12, 3, 7)
      #expect(steps.map(\.transactions).max() == 3)
      #expect(steps.map(\.changes).max() == 7)
      #expect(steps.map(\.transactions).reduce(0, +) == 11)
      #expect(steps.map(\.changes).reduce(0, +) == 70)
    }
    let bench = try fixture()
    // After one step, transactions are deleted, and some of their changes remain.
    let step = try HistoryPurger(bench.store).step(before: 6, transactions: 5, changes: 3)
    #expect(step == HistoryPurge(transactions: 5, changes: 3))
    #expect(try bench.history().count == 5)
    #expect(try numbers(bench).first == "6")
    // The next purge removes them, even if it has nothing else to do.
    #expect(try HistoryPurger(bench.store).count(before: 1) == HistoryPurge(transactions: 0, changes: 7))
    #expect(try purge(bench.store, before: 1) == [HistoryPurge(transactions: 0, changes: 7)])
  }

  @Test(
    arguments: [
      // Seconds since 2001 by number, the age limit, and the first remaining number.
      ([10, 20, 30, 40], 25, 3), ([10, 20, 30, 40], 30, 3), ([10, 20, 30, 40], 0, 1), ([10, 20, 30, 40], 99, 5),
      // The clock was set back or forward: everything after the first transaction that is new enough remains.
      ([10, 50, 20, 30], 40, 2), ([50, 10, 20, 30], 40, 1), ([10, 20, 60, 30], 45, 3),
    ] as [([Double], Double, Int64)])
  func `an age limit is converted to the number of the first transaction that is new enough`(
    _ times: [Double], _ limit: Double, _ expected: Int64
  ) throws {
    let bench = try StoreFixture()
    for (number, time) in times.enumerated() {
      try bench.addFilms("film")
      try bench.outside.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = \(time) WHERE Z_PK = \(number + 1)")
    }
    #expect(try HistoryPurger(bench.store).firstTransaction(notBefore: limit + 978_307_200) == expected)
  }

  @Test func `purged pages are returned to the file system in steps`() throws {
    let bench = try StoreFixture()
    for number in 1...30 { try bench.addFilms(String(repeating: "word ", count: 400), "\(number)") }
    for key in stride(from: 1, through: 60, by: 2) { try bench.deleteFilm(Int64(key)) }
    try HistoryPurger(bench.store).checkpoint()
    let before = try bench.store.sizes()
    #expect(before.transactions == 60)
    #expect(before.changes == 90)
    _ = try purge(bench.store, before: 60)
    var steps = 0
    while try HistoryPurger(bench.store).reclaimStep(pages: 4) { steps += 1 }
    #expect(steps > 1)
    #expect(try bench.rows("PRAGMA freelist_count") == ["0"])
    try HistoryPurger(bench.store).checkpoint()
    let after = try bench.store.sizes()
    #expect(after.transactions == 1)
    #expect(after.changes == 1)
    #expect(after.bytes < before.bytes)
    #expect(try #require(after.historyBytes) < (try #require(before.historyBytes)))
    #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a store without incremental vacuum keeps its pages`() throws {
    let bench = try fixture()
    let path = bench.directory.file("other.store")
    try bench.outside.execute("PRAGMA auto_vacuum = NONE; VACUUM INTO '\(path)'")
    let store = try PersistentStore.open(path, access: .readWrite)
    #expect(try StoreFixture.rows(store.connection, "PRAGMA auto_vacuum") == ["0"])
    _ = try purge(store, before: 10)
    #expect(try HistoryPurger(store).reclaimStep() == false)
    #expect(try store.oldest() == 10)
  }

  @Test func `the size of the history is that of its pages`() throws {
    let bench = try fixture()
    let sizes = try bench.store.sizes()
    #expect(
      try bench.rows(
        """
        SELECT COUNT(*) * 4096 FROM dbstat WHERE name IN
        (SELECT name FROM sqlite_master WHERE tbl_name IN ('ATRANSACTION', 'ACHANGE', 'ATRANSACTIONSTRING'))
        """) == [sizes.historyBytes.map { "\($0)" }])
  }

  @Test func `a purge is busy while another connection writes`() throws {
    let bench = try fixture()
    let store = try PersistentStore.open(bench.path, access: .readWrite, busyMilliseconds: 10)
    try bench.outside.beginWrite()
    #expect(try storeErrorCode { _ = try HistoryPurger(store).step(before: 5) } == .busy)
    bench.outside.rollback()
    #expect(try HistoryPurger(store).step(before: 5).transactions == 4)
  }

  @Test func `changes are read from inside a transaction`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("A", "B", "C", "D", "E")
    try bench.outside.execute("UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE Z_PK = 2")
    try bench.addFilms("F")
    func page(_ transaction: Int64, _ change: Int64?, _ limit: Int = .max) throws -> [Int64?] {
      var keys: [Int64?] = []
      try bench.store.eachChange(after: transaction, change: change) {
        keys.append($1?.row.key)
        return keys.count < limit
      }
      return keys
    }
    // A change of an unknown kind has no row, but its transaction.
    #expect(try page(0, nil) == [1, nil, 3, 4, 5, 6])
    #expect(try page(1, 2, 2) == [3, 4])
    #expect(try page(1, 4) == [5, 6])
    // The transaction itself comes again without a change.
    #expect(try page(1, 5) == [nil, 6])
    #expect(try page(1, nil) == [6])
  }
}
