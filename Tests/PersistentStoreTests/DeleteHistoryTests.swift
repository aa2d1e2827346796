// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct DeleteHistoryTests {
  /// Six saves: odd ones by ann, even ones by bob, the last one without an author. Save n inserts n films.
  private static func fixture() throws -> StoreFixture {
    let bench = try StoreFixture()
    for number in 1...6 {
      let author = number == 6 ? nil : number % 2 == 1 ? "ann" : "bob"
      try bench.store.save(author: author, process: "shop \(number % 3)", bundle: "org.shop") { save in
        for index in 1...number {
          try save.insert(bench.film, bench.values(["title": .text("\(number).\(index)")]))
        }
      }
    }
    return bench
  }

  private func numbers(_ store: PersistentStore, _ condition: HistoryCondition, orderBy order: [String] = []) throws
    -> [Int64]
  {
    var found: [Int64] = []
    try store.transactions(where: condition, orderBy: order) { found.append($0.number) }
    return found
  }

  private func left(_ bench: StoreFixture) throws -> [String] {
    try bench.rows(
      "SELECT t.Z_PK, count(c.Z_PK) FROM ATRANSACTION t JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK GROUP BY t.Z_PK")
  }

  @Test func `a condition can use number, time, author, bundle and process`() throws {
    let bench = try Self.fixture()
    let times = try bench.rows("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 3")
    let time = try #require(times.first.flatMap(Double.init))
    let found = [
      try numbers(bench.store, .all), try numbers(bench.store, HistoryCondition("t.Z_PK > ?1", [.integer(4)])),
      try numbers(bench.store, HistoryCondition("t.ZTIMESTAMP < ?1", [.real(time)])),
      try numbers(bench.store, HistoryCondition("a.ZNAME = ?1 AND t.Z_PK > ?2", [.text("ann"), .integer(1)])),
      try numbers(bench.store, HistoryCondition("a.ZNAME IS NULL OR a.ZNAME = ?1", [.text("bob")])),
      try numbers(bench.store, HistoryCondition("p.ZNAME = ?1", [.text("shop 0")])),
      try numbers(bench.store, HistoryCondition("b.ZNAME <> ?1", [.text("org.shop")])),
      try numbers(bench.store, .all, orderBy: ["p.ZNAME DESC", "t.ZTIMESTAMP DESC"]),
    ]
    #expect(found == [[1, 2, 3, 4, 5, 6], [5, 6], [1, 2], [3, 5], [2, 4, 6], [3, 6], [], [5, 2, 4, 1, 6, 3]])
    var whole: [StoredTransaction] = []
    try bench.store.transactions(where: .all, orderBy: ["t.Z_PK DESC"], limit: 1) { whole.append($0) }
    #expect(whole.map(\.number) == [6])
    #expect(whole[0].changes.map(\.row.key) == [16, 17, 18, 19, 20, 21])
    #expect([whole[0].author, whole[0].bundle, whole[0].process] == [nil, "org.shop", "shop 0"])
  }

  @Test(arguments: [(500, 5_000), (1, 1), (2, 3)])
  func `exactly the matching transactions and their changes are deleted`(_ transactions: Int, _ changes: Int) throws {
    let bench = try Self.fixture()
    let removed = try HistoryPurger(bench.store).delete(
      where: HistoryCondition("a.ZNAME = ?1", [.text("bob")]), transactions: transactions, changes: changes)
    #expect(removed == HistoryPurge(transactions: 2, changes: 6))
    #expect(try left(bench) == ["1|1", "3|3", "5|5", "6|6"])
    let again = try HistoryPurger(bench.store).delete(where: HistoryCondition("a.ZNAME = ?1", [.text("bob")]))
    #expect(again.isEmpty)
    #expect(try bench.rows("SELECT count(*) FROM ACHANGE") == ["15"])
    #expect(try bench.rows("SELECT count(*) FROM ZFILM") == ["21"])
  }

  @Test func `the newest transaction may be deleted, and no number is reused`() throws {
    let bench = try Self.fixture()
    let token = try bench.store.token()
    let removed = try HistoryPurger(bench.store).delete(where: .all)
    #expect(removed == HistoryPurge(transactions: 6, changes: 21))
    #expect(try bench.rows("SELECT 1 FROM ATRANSACTION UNION ALL SELECT 1 FROM ACHANGE") == [])
    #expect(try bench.store.newest() == 6)
    #expect(try bench.store.verdict(on: token) == .expired(missing: [6...6]))
    let next = try bench.store.token()
    let result = try bench.addFilms("Up")
    #expect(result.transaction == 7)
    #expect(try bench.store.verdict(on: next) == .valid)
  }

  @Test func `changes that remain from an interrupted deletion are deleted`() throws {
    let bench = try Self.fixture()
    try bench.outside.execute("DELETE FROM ATRANSACTION WHERE Z_PK = 4")
    let removed = try HistoryPurger(bench.store).delete(where: HistoryCondition("t.Z_PK = 2"), changes: 3)
    #expect(removed == HistoryPurge(transactions: 1, changes: 6))
    #expect(try bench.rows("SELECT DISTINCT ZTRANSACTIONID FROM ACHANGE ORDER BY 1") == ["1", "3", "5", "6"])
  }

  @Test func `a busy store and an invalid condition are errors, and nothing is deleted`() throws {
    let bench = try Self.fixture()
    let wrong = try storeErrorText { try HistoryPurger(bench.store).delete(where: HistoryCondition("t.NUMBER = 1")) }
    #expect(wrong == "SQLite rejected a statement on \(bench.path): no such column: t.NUMBER")
    let impatient = try PersistentStore.open(bench.path, access: .readWrite, busyMilliseconds: 50)
    try bench.outside.beginWrite()
    let busy = try storeErrorCode { try HistoryPurger(impatient).delete(where: .all) }
    bench.outside.rollback()
    #expect(busy == .busy)
    #expect(try left(bench).count == 6)
  }

  @Test func `a transaction records the names of program and bundle`() throws {
    let bench = try StoreFixture()
    try bench.store.save(author: "ann", process: "shop", bundle: "org.shop") { save in
      try save.insert(bench.actor, [.text("Ed")])
    }
    try bench.addFilms("Up")
    var names: [[String?]] = []
    try bench.store.transactions { names.append([$0.author, $0.process, $0.bundle]) }
    #expect(names == [["ann", "shop", "org.shop"], [nil, "followspot", "followspot"]])
  }
}
