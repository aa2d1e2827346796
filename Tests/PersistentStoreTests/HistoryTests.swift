// SPDX-License-Identifier: MIT

import Base
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct HistoryTests {
  /// Six transactions of three authors.
  private func fixture() throws -> StoreFixture {
    let bench = try StoreFixture()
    try bench.addFilms("A", "B", author: "one")
    try bench.setFilm(1, ["year": .integer(1), "title": .text("a")], author: "two")
    try bench.store.save { try $0.insert(bench.actor, [.text("Tom")]) }
    try bench.store.save(author: "one") { save in
      try save.insert(bench.actor, [.text("Tim")])
      try save.delete(bench.film, key: 2)
    }
    try bench.setFilm(1, ["code": .text("c")], author: "two")
    try bench.deleteFilm(1, author: "one")
    return bench
  }

  private static let whole = [
    "1 one: insert Film 1, insert Film 2", "2 two: update Film 1 [title, year]", "3 -: insert Actor 1",
    "4 one: insert Actor 2, delete Film 2 (NULL, NULL, B)", "5 two: update Film 1 [code]",
    "6 one: delete Film 1 (c, NULL, a)",
  ]

  @Test func `the history is read oldest first, with names and tombstones`() throws {
    let bench = try fixture()
    let history = try bench.history()
    #expect(history == Self.whole)
  }

  @Test(
    arguments: [
      (0, Int64.max, nil, 0..<6), (2, .max, nil, 2..<6), (6, .max, nil, 6..<6), (99, .max, nil, 6..<6),
      (0, .max, 2, 0..<2),
      (3, .max, 1, 3..<4), (0, .max, 0, 0..<0), (1, 3, nil, 1..<3), (-5, 1, nil, 0..<1),
    ] as [(Int64, Int64, Int?, Range<Int>)])
  func `bounds and a limit select transactions by number`(
    _ after: Int64, _ through: Int64, _ limit: Int?, _ expected: Range<Int>
  ) throws {
    let bench = try fixture()
    let history = try bench.history(after: after, through: through, limit: limit)
    #expect(history == Array(Self.whole[expected]))
  }

  @Test(arguments: [("one", [0, 3, 5]), ("two", [1, 4]), ("", []), ("followspot", []), ("' OR 1=1 --", [])])
  func `an author's transactions are selected by the full name`(_ author: String, _ expected: [Int]) throws {
    let bench = try fixture()
    let history = try bench.history(author: author)
    #expect(history == expected.map { Self.whole[$0] })
  }

  @Test func `for an entity, only its transactions and only its changes are read`() throws {
    let bench = try fixture()
    #expect(try bench.history(entity: bench.actor) == ["3 -: insert Actor 1", "4 one: insert Actor 2"])
    #expect(
      try bench.history(after: 1, author: "one", entity: bench.film, limit: 1) == [
        "4 one: delete Film 2 (NULL, NULL, B)"
      ])
  }

  @Test func `a transaction has its time, its program and its change numbers`() throws {
    let bench = try fixture()
    var found: [StoredTransaction] = []
    try bench.store.transactions(after: 1, limit: 1) { found.append($0) }
    let timestamp = try #require(found.first?.timestamp)
    #expect(
      found == [
        StoredTransaction(
          number: 2, timestamp: timestamp, author: "two", bundle: "followspot", process: "followspot",
          changes: [
            StoredChange(
              number: 3, kind: .update, row: RowIdentifier(entity: 2, key: 1), bitmap: [0x01, 0x80], tombstone: [])
          ])
      ])
    #expect(found.first?.secondsSince1970 == timestamp + 978_307_200)
  }

  @Test func `a timestamp in the future does not make pending transactions look newer`() throws {
    let bench = try fixture()
    let day = 86_400.0
    // Seconds since 2001: two valid timestamps, one that is ten days ahead, and one that had to follow it.
    for (number, stamp) in [(1, 100 * day), (2, 101 * day), (3, 112 * day), (4, 112 * day + 1)] {
      try bench.outside.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = \(stamp) WHERE Z_PK = \(number)")
    }
    try bench.outside.execute("DELETE FROM ATRANSACTION WHERE Z_PK > 4")
    let now = Epoch.secondsFrom1970To2001 + 102 * day
    func age(after number: Int64, now: Double) throws -> Double? {
      try bench.store.ageOfFirstTransaction(after: number, now: now).map { $0 / day }
    }
    #expect(try age(after: 0, now: now) == 2)
    #expect(try age(after: 1, now: now) == 1)
    #expect(try age(after: 2, now: now) == 1)
    #expect(try age(after: 3, now: now) == 1)
    #expect(try age(after: 4, now: now) == nil)
    #expect(try bench.store.futureStamp(now: now)?.transaction == 3)
    // The timestamp is no longer in the future.
    #expect(try age(after: 2, now: now + 11 * day) == 1)
    #expect(try bench.store.futureStamp(now: now + 11 * day) == nil)
    // No valid timestamp is left.
    try bench.outside.execute("DELETE FROM ATRANSACTION WHERE Z_PK < 3")
    #expect(try age(after: 2, now: now) == 102)
  }

  @Test func `changed rows after a transaction are distinct`() throws {
    let bench = try fixture()
    #expect(
      try bench.store.changedRows(after: 1) == [
        RowIdentifier(entity: 1, key: 1), RowIdentifier(entity: 1, key: 2), RowIdentifier(entity: 2, key: 1),
        RowIdentifier(entity: 2, key: 2),
      ])
  }

  @Test func `an empty history has the newest number 0 and no oldest number`() throws {
    let bench = try StoreFixture()
    #expect(try bench.store.newest() == 0)
    #expect(try bench.store.oldest() == nil)
  }

  @Test func `a purge changes the oldest number, but not the newest`() throws {
    let bench = try fixture()
    try bench.outside.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 4; DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    #expect(try bench.store.newest() == 6)
    #expect(try bench.store.oldest() == 4)
    #expect(try bench.history() == Array(Self.whole[3...]))
    try bench.outside.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    #expect(try bench.store.newest() == 6)
    #expect(try bench.store.oldest() == nil)
    #expect(try bench.addFilms("Z") == SaveNumbers(transaction: 7, inserted: 1))
    #expect(try bench.rows("SELECT Z_PK, ZENTITYPK FROM ACHANGE") == ["9|3"])
  }

  @Test func `a transaction without changes, and a change of an unknown kind, are read`() throws {
    let bench = try fixture()
    try bench.outside.execute(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 2;
      UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE ZTRANSACTIONID = 3;
      UPDATE ACHANGE SET ZENTITY = 77 WHERE ZTRANSACTIONID = 6;
      UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE ZTRANSACTIONID = 5
      """)
    #expect(
      try bench.history(after: 1) == [
        "2 two: ", "3 -: ", "4 one: insert Actor 2, delete Film 2 (NULL, NULL, B)", "5 two: update Film 1 []",
        "6 one: unknown entity",
      ])
  }
}
