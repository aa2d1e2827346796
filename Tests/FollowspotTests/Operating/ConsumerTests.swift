// SPDX-License-Identifier: MIT

import Base
import Foundation
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Consumers of the history, and what a purge keeps for them.
@Suite(.overlapping, .temporaryDirectory)
struct ConsumerTests {
  private let directory = TemporaryDirectory()

  /// An index at transaction 4 of a store with ten; `said` collects what passes report.
  private func fixture() throws -> (IndexedStore, Consumers, String) {
    let bench = try IndexedStore(seed: 1, films: 3)
    for _ in 0..<3 { try bench.insert(1) }
    try Indexer(bench.options()).catchUp()
    for _ in 0..<6 { try bench.insert(1) }
    return (bench, Consumers(storePath: bench.storePath), Consumers.name(of: bench.index))
  }

  private func purge(_ bench: IndexedStore, _ change: (inout Purge.Options) -> Void = { _ in }) throws -> Purge.Outcome
  {
    var options = Purge.Options(storePath: bench.storePath, bound: .before(.max))
    change(&options)
    return try Purge(options).run()
  }

  private func pass(_ bench: IndexedStore) throws -> [String] {
    var said: [String] = []
    var options = bench.options()
    options.report = { said.append($0) }
    try Indexer(options).catchUp()
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
    return said
  }

  private func statuses(_ bench: IndexedStore, _ consumers: Consumers) throws -> [String] {
    let statuses = try bench.store.withSnapshot { try consumers.statuses(in: bench.store) }
    return statuses.map { consumer in
      let numbers = [consumer.token, consumer.lag, consumer.holds].map { $0.map { String($0) } ?? "-" }
      return ([consumer.name] + numbers + [consumer.state.rawValue]).joined(separator: " ")
    }
  }

  private func age(_ path: String, days: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date().addingTimeInterval(-days * 86_400)], ofItemAtPath: path)
  }

  private func ageHistory(_ bench: IndexedStore, through number: Int, days: Int) throws {
    try edit(bench, "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - \(days * 86_400) WHERE Z_PK <= \(number)")
  }

  // MARK: Indexes

  @Test func `an index registers itself, and a purge keeps its unread history`() throws {
    let (bench, consumers, name) = try fixture()
    #expect(try statuses(bench, consumers) == ["\(name) 4 6 4 current"])
    let outcome = try purge(bench)
    #expect(outcome.removed == HistoryPurge(transactions: 3, changes: 5))
    #expect(outcome.heldBy?.name == name)
    #expect(outcome.oldest == 4)
    // It goes on from its token: nothing is compared.
    #expect(try pass(bench) == [])
    #expect(try bench.state().token?.number == 10)
    #expect(try purge(bench).removed == HistoryPurge(transactions: 6, changes: 6))
    #expect(try bench.store.oldest() == 10)
    #expect(try bench.insert(1).transaction == 11)
    #expect(try pass(bench) == [])
  }

  @Test func `an index that is not registered is reconciled and reported`() throws {
    let (bench, consumers, name) = try fixture()
    try consumers.drop(name)
    let outcome = try purge(bench)
    #expect(outcome.removed.transactions == 9)
    #expect(outcome.heldBy == nil)
    #expect(
      try pass(bench) == [
        "the token 4 has expired: transactions 4-9 are not in the history: comparing index and store",
        "reconciled: 6 added, 0 updated, 0 removed",
      ])
    // Its pass has registered it again.
    #expect(try statuses(bench, consumers) == ["\(name) 10 0 10 current"])
  }

  @Test func `a purge waits for a generation kept for rollback while it is recent`() throws {
    let (bench, consumers, name) = try fixture()
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    #expect(try statuses(bench, consumers) == ["\(name) 10 0 4 current"])
    let held = try purge(bench)
    #expect(held.oldest == 4)
    #expect(held.heldBy?.reason == "generation 1 is kept for rollback at transaction 4")
    try age(bench.index.path(ofGeneration: 1) + "/iamglass", days: 31)
    let outcome = try purge(bench)
    #expect(outcome.oldest == 10)
    #expect(outcome.heldBy == nil)
    #expect(
      outcome.sentences.map { $0.replacing(/, last moved at .*/, with: "") } == [
        "consumer '\(name)' is current, generation 1, kept for rollback at transaction 4, is not waited for"
      ])
    #expect(try Rollback.run(in: bench.index) == 1)
    #expect(
      try pass(bench) == [
        "the token 4 has expired: transactions 4-9 are not in the history: comparing index and store",
        "reconciled: 6 added, 0 updated, 0 removed",
      ])
  }

  @Test func `nothing is purged during a rebuild of the index`() throws {
    let (bench, _, name) = try fixture()
    let lock = try FileLock(.rebuild, in: bench.index, verb: "rebuild")
    let outcome = try purge(bench)
    #expect(outcome.removed.isEmpty)
    #expect(outcome.heldBy?.name == name)
    #expect(outcome.heldBy?.reason == "it is being rebuilt")
    withExtendedLifetime(lock) {}
  }

  @Test func `a purge reports a missing index and waits for it until it is dropped or ignored`() throws {
    let (bench, consumers, name) = try fixture()
    try FileManager.default.removeItem(atPath: bench.index.path)
    #expect(try statuses(bench, consumers) == ["\(name) 4 - 4 gone"])
    let held = try purge(bench)
    #expect(held.oldest == 4)
    #expect(
      held.sentences == [
        "the history from transaction 4 on is kept for consumer '\(name)': gone, there is no index any more"
      ])
    #expect(try purge(bench) { $0.ignored = [name] }.oldest == 10)
    // What it had still to read is purged now: waiting for it would be of no use.
    #expect(try statuses(bench, consumers) == ["\(name) 4 - - expired"])
    try bench.insert(1)
    let outcome = try purge(bench)
    #expect(outcome.oldest == 11)
    #expect(outcome.heldBy == nil)
    #expect(outcome.sentences.count == 1)
    try consumers.drop(name)
    #expect(try statuses(bench, consumers) == [])
  }

  @Test func `a purge waits for a removed index from its token at the last purge`() throws {
    let (bench, consumers, name) = try fixture()
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    // A long-lived follower registers once, and moves on.
    try bench.insert(1)
    try indexer.catchUp()
    #expect(try purge(bench).oldest == 11)
    try FileManager.default.removeItem(atPath: bench.index.path)
    try bench.insert(1)
    #expect(try statuses(bench, consumers) == ["\(name) 11 - 11 gone"])
    #expect(try purge(bench).oldest == 11)
  }

  @Test func `an index that follows another store counts as removed`() throws {
    let (bench, consumers, name) = try fixture()
    let other = TemporaryDirectory()
    let second = try IndexedStore(in: other, seed: 2, films: 1)
    let options = Indexer.Options(storePath: second.storePath, directory: bench.index)
    try Indexer(options).catchUp()
    #expect(try statuses(bench, consumers) == ["\(name) 4 - 4 gone"])
    #expect(try purge(bench).heldBy?.reason == "its index follows another store")
  }

  @Test func `an index that cannot be registered is reported once, and updated`() throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 3)
    let blocked = try directory.write("in the way", to: "films.store.consumers")
    let said = try pass(bench)
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("the index cannot be registered") == true)
    #expect(try bench.state().token?.number == 1)
    #expect(try String(contentsOfFile: blocked, encoding: .utf8) == "in the way")
  }

  // MARK: Others

  @Test func `consumers are added at the newest or a given transaction, moved and dropped`() throws {
    let (bench, consumers, name) = try fixture()
    try consumers.drop(name)
    #expect(try consumers.add("replica", token: nil).token == 10)
    #expect(try consumers.add("backup", token: 3).lag == 7)
    #expect(try statuses(bench, consumers) == ["backup 3 7 3 current", "replica 10 0 10 current"])
    #expect(try purge(bench).heldBy?.name == "backup")
    #expect(try bench.store.oldest() == 3)
    _ = try consumers.move("backup", token: 8)
    #expect(try purge(bench).oldest == 8)
    try consumers.drop("backup")
    #expect(try purge(bench).oldest == 10)
    #expect(try statuses(bench, consumers) == ["replica 10 0 10 current"])
  }

  @Test func `a consumer from the beginning holds the whole history`() throws {
    let (bench, consumers, _) = try fixture()
    _ = try consumers.add("late", token: 0)
    #expect(try purge(bench).removed.isEmpty)
    #expect(try bench.store.oldest() == 1)
  }

  @Test func `a transaction that the history lacks is refused`() throws {
    let (bench, consumers, name) = try fixture()
    _ = try purge(bench)  // up to 4
    for (number, part) in [(11, "does not exist yet"), (3, "not complete any more"), (0, "not complete any more")] {
      let error = #expect(throws: OperationError.self) { try consumers.add("backup", token: Int64(number)) }
      #expect(error?.message.contains(part) == true, "\(number)")
    }
    _ = try consumers.add("backup", token: 4)
    #expect(throws: OperationError.self) { try consumers.add("backup", token: 5) }
    #expect(throws: OperationError.self) { try consumers.move("backup", token: 3) }
    #expect(throws: OperationError.self) { try consumers.move("bakup", token: 5) }
    #expect(throws: OperationError.self) { try consumers.move(name, token: 5) }
    #expect(throws: OperationError.self) { try consumers.drop("bakup") }
    #expect(throws: OperationError.self) { try purge(bench) { $0.ignored = ["bakup"] } }
    #expect(try statuses(bench, consumers) == ["backup 4 6 4 current", "\(name) 4 6 4 current"])
  }

  @Test(
    arguments: [
      "", ".hidden", "a/b", "../escape", "tab\there", "nul\u{0}", "\u{1b}[31m", "index:mine", "x.index.json",
      String(repeating: "n", count: 201),
    ])
  func `an invalid name is refused`(_ name: String) throws {
    let (bench, consumers, _) = try fixture()
    let error = #expect(throws: OperationError.self) { try consumers.add(name, token: nil) }
    #expect(error?.message.hasPrefix("a consumer cannot be called") == true)
    #expect(try statuses(bench, consumers).count == 1)
  }

  @Test(arguments: ["plain", "with space", "ünïcödé", "a'b", String(repeating: "n", count: 200)])
  func `any short name without a slash is valid`(_ name: String) throws {
    let (bench, consumers, _) = try fixture()
    _ = try consumers.add(name, token: 5)
    #expect(try statuses(bench, consumers).contains("\(name) 5 5 5 current"))
    try consumers.drop(name)
    #expect(try statuses(bench, consumers).count == 1)
  }

  @Test func `a consumer that has not read for too long is reported as stale, and a purge still waits for it`() throws {
    let (bench, consumers, name) = try fixture()
    _ = try pass(bench)
    _ = try consumers.add("tape", token: 5)
    // History is old, but the consumer was moved just now.
    try ageHistory(bench, through: 9, days: 40)
    #expect(try statuses(bench, consumers).last == "tape 5 5 5 current")
    let file = consumers.directory + "/tape.consumer.json"
    let record = try String(contentsOfFile: file, encoding: .utf8)
    try record.replacing(/"moved":"[^"]*"/, with: #""moved":"2020-01-31T12:00:00Z""#)
      .write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try statuses(bench, consumers).last == "tape 5 5 5 stale")
    let held = try purge(bench)
    #expect(held.oldest == 5)
    #expect(
      held.sentences == [
        "the history from transaction 5 on is kept for consumer 'tape': stale, "
          + "last moved at 2020-01-31T12:00:00.000Z"
      ])
    #expect(try purge(bench) { $0.staleAfter = 36_500 * 86_400 }.heldBy?.state == .current)
    #expect(try purge(bench) { $0.ignored = ["tape"] }.oldest == 10)
    _ = name
  }

  @Test func `a consumer of another store at the same path is reported and holds nothing`() throws {
    let (bench, consumers, name) = try fixture()
    _ = try consumers.add("backup", token: 2)
    try consumers.drop(name)
    let copy = bench.directory.file("other.store")
    let other = try PersistentStore.create(copy, model: Catalogue.model)
    for _ in 0..<5 { try other.save { try $0.insert(bench.film, bench.catalogue.film()) } }
    try edit(bench, "PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(rename(copy, bench.storePath) == 0)
    for suffix in ["-wal", "-shm"] { _ = rename(copy + suffix, bench.storePath + suffix) }
    let outcome = try purge(bench)
    #expect(outcome.removed.transactions == 4)
    #expect(outcome.consumers.map(\.state) == [.foreign])
    #expect(outcome.sentences.first?.hasPrefix("consumer 'backup' is foreign, registered with another") == true)
  }

  @Test(arguments: ["", "{", "[]", #"{"format":2,"name":"backup","store":"x","moved":"y"}"#])
  func `a damaged file holds everything until it is dropped`(_ text: String) throws {
    let (bench, consumers, _) = try fixture()
    _ = try consumers.add("backup", token: 9)
    try text.write(toFile: consumers.directory + "/backup.consumer.json", atomically: true, encoding: .utf8)
    #expect(try statuses(bench, consumers).first == "backup - - 0 damaged")
    #expect(try purge(bench).removed.isEmpty)
    try consumers.drop("backup")
    #expect(try purge(bench).oldest == 4)
  }

  // MARK: Bounds

  @Test func `a dry run counts what the purge then removes, and removes nothing`() throws {
    let (bench, _, name) = try fixture()
    let options = Purge.Options(storePath: bench.storePath, bound: .before(.max))
    let counted = try Purge(options).dryRun()
    #expect(try bench.store.oldest() == 1)
    let done = try Purge(options).run()
    #expect(counted.removed == done.removed)
    #expect(counted.oldest == done.oldest)
    #expect(counted.newest == done.newest)
    #expect(counted.heldBy?.name == name)
  }

  @Test func `a purge by age stops at the first younger transaction`() throws {
    let (bench, _, _) = try fixture()
    _ = try pass(bench)
    try ageHistory(bench, through: 6, days: 10)
    // The clock was set back for the eighth: it stays, because the seventh does.
    try edit(bench, "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 86400 * 20 WHERE Z_PK = 8")
    var options = Purge.Options(storePath: bench.storePath, bound: .keep(seconds: 7 * 86_400))
    let outcome = try Purge(options).run()
    #expect(outcome.removed.transactions == 6)
    #expect(outcome.heldBy == nil)
    options.bound = .keep(seconds: 0)
    options.floor = 9
    #expect(try Purge(options).run().oldest == 9)
  }

  @Test func `a purge that ended early continues at the next call`() throws {
    let (bench, _, _) = try fixture()
    for _ in 0..<600 { try bench.insert(1) }
    _ = try pass(bench)
    let purge = Purge(Purge.Options(storePath: bench.storePath, bound: .before(.max)))
    let first = try purge.run { _ in false }
    #expect(first.isComplete == false)
    #expect(first.removed.transactions == 500)
    let second = try purge.run()
    #expect(second.isComplete)
    #expect(second.oldest == 610)
    #expect(second.removed.transactions == 109)
    #expect(try pass(bench) == [])
  }
}
