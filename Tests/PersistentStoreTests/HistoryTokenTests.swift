// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct HistoryTokenTests {
  /// A store of five transactions, a token, later SQL, and the expected verdict.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The number of the token's transaction; nil for no token.
    var token: Int64? = 3
    var withoutStamp = false
    var sql = ""
    let verdict: TokenVerdict

    init(
      _ description: String, token: Int64? = 3, withoutStamp: Bool = false, sql: String = "", verdict: TokenVerdict
    ) {
      testDescription = description
      self.token = token
      self.withoutStamp = withoutStamp
      self.sql = sql
      self.verdict = verdict
    }
  }

  private static let cases = [
    Case("no token", token: nil, verdict: .noToken),
    Case("the token's row is there", verdict: .valid),
    Case("the newest transaction's token", token: 5, verdict: .valid),
    Case("purged before the token", sql: "DELETE FROM ATRANSACTION WHERE Z_PK < 3", verdict: .valid),
    Case(
      "another stamp", sql: "UPDATE ATRANSACTION SET ZTIMESTAMP = 1.5 WHERE Z_PK = 3", verdict: .diverged(.otherHistory)
    ),
    Case("another stamp elsewhere", sql: "UPDATE ATRANSACTION SET ZTIMESTAMP = 1.5 WHERE Z_PK = 4", verdict: .valid),
    Case("another store", sql: "UPDATE Z_METADATA SET Z_UUID = 'OTHER'", verdict: .diverged(.otherStore(uuid: "own"))),
    Case(
      "newer than the store", token: 5,
      sql: "DELETE FROM ATRANSACTION WHERE Z_PK > 2; UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002",
      verdict: .diverged(.newerThanStore(newest: 2))),
    Case("own row purged", sql: "DELETE FROM ATRANSACTION WHERE Z_PK = 3", verdict: .expired(missing: [3...3])),
    Case(
      "purged up to the token", sql: "DELETE FROM ATRANSACTION WHERE Z_PK <= 3", verdict: .expired(missing: [3...3])),
    Case(
      "purged beyond the token", sql: "DELETE FROM ATRANSACTION WHERE Z_PK <= 4", verdict: .expired(missing: [3...4])),
    Case("all purged", sql: "DELETE FROM ATRANSACTION", verdict: .expired(missing: [3...5])),
    Case(
      "purged in the middle", token: 2, sql: "DELETE FROM ATRANSACTION WHERE Z_PK = 4",
      verdict: .expired(missing: [4...4])),
    Case("purged at the end", sql: "DELETE FROM ATRANSACTION WHERE Z_PK = 5", verdict: .expired(missing: [5...5])),
    Case(
      "purged in two places", token: 1, sql: "DELETE FROM ATRANSACTION WHERE Z_PK IN (2, 4, 5)",
      verdict: .expired(missing: [2...2, 4...5])),
    Case("without a stamp, from the empty history", token: 0, withoutStamp: true, verdict: .valid),
    Case(
      "without a stamp, after a full purge", token: 5, withoutStamp: true, sql: "DELETE FROM ATRANSACTION",
      verdict: .valid),
    Case(
      "without a stamp, another store", token: 0, withoutStamp: true, sql: "UPDATE Z_METADATA SET Z_UUID = 'OTHER'",
      verdict: .expired(missing: [])),
    Case(
      "without a stamp, newer than the store", token: 5, withoutStamp: true,
      sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002", verdict: .expired(missing: [])),
    Case(
      "without a stamp, purged since", token: 0, withoutStamp: true, sql: "DELETE FROM ATRANSACTION WHERE Z_PK < 3",
      verdict: .expired(missing: [1...2])),
    Case(
      "a foreign writer's purge of changes only", sql: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 4", verdict: .valid),
  ]

  @Test(arguments: cases)
  func `a token gets the expected verdict`(_ row: Case) throws {
    let bench = try StoreFixture()
    for number in 1...5 { try bench.addFilms("film \(number)") }
    var token = try row.token.map { try bench.store.token(of: $0) }
    if row.withoutStamp { token?.stamp = nil }
    try bench.outside.execute(row.sql)
    let store = try PersistentStore.open(bench.path)
    let verdict = try store.withSnapshot { try store.verdict(on: token) }
    let own = bench.store.uuid
    let expected = row.verdict == .diverged(.otherStore(uuid: "own")) ? .diverged(.otherStore(uuid: own)) : row.verdict
    #expect(verdict == expected)
  }

  @Test func `at most ten ranges of missing numbers are reported`() throws {
    let bench = try StoreFixture()
    for number in 1...30 { try bench.addFilms("film \(number)") }
    let token = try bench.store.token(of: 1)
    try bench.outside.execute("DELETE FROM ATRANSACTION WHERE Z_PK % 2 = 0")
    let ranges = stride(from: Int64(2), through: 20, by: 2).map { $0...$0 }
    #expect(try bench.store.verdict(on: token) == .expired(missing: ranges))
  }

  @Test func `a token of another model reports the changed model only if the history is complete`() throws {
    let bench = try StoreFixture()
    for number in 1...3 { try bench.addFilms("film \(number)") }
    var token = try bench.store.token(of: 2)
    token.modelDigest = "another"
    #expect(try bench.store.verdict(on: token) == .modelChanged)
    try bench.outside.execute("DELETE FROM ATRANSACTION WHERE Z_PK = 3")
    #expect(try bench.store.verdict(on: token) == .expired(missing: [3...3]))
  }

  @Test func `a token contains store, number, timestamp bits and model`() throws {
    let bench = try StoreFixture()
    let digest = bench.store.modelDigest
    let empty = StoreToken(storeUUID: bench.store.uuid, number: 0, stamp: nil, modelDigest: digest)
    #expect(try bench.store.token() == empty)
    try bench.addFilms("A")
    var stamp: UInt64?
    try bench.store.transactions { stamp = $0.timestamp.bitPattern }
    let token = StoreToken(storeUUID: bench.store.uuid, number: 1, stamp: stamp, modelDigest: digest)
    #expect(stamp != nil)
    #expect(try bench.store.token() == token)
    #expect(try bench.store.token(of: 1) == token)
  }

  @Test func `a restored backup with other later saves diverges under the same number`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("A")
    let backup = bench.directory.file("backup.store")
    try bench.outside.execute("VACUUM INTO '\(backup)'")
    try bench.addFilms("B")
    let token = try bench.store.token()
    let restored = try PersistentStore.open(backup, access: .readWrite)
    #expect(try restored.verdict(on: token) == .diverged(.newerThanStore(newest: 1)))
    try restored.save { try $0.insert(bench.actor, [.text("x")]) }
    #expect(try restored.verdict(on: token) == .diverged(.otherHistory))
  }
}
