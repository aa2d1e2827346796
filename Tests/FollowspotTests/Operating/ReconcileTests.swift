// SPDX-License-Identifier: MIT

import Base
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Tokens that cannot be followed: what is reported, what is written, and that index and store are equal afterwards.
@Suite(.overlapping, .temporaryDirectory)
struct ReconcileTests {
  private let directory = TemporaryDirectory()

  private func reconcile(_ bench: IndexedStore) throws -> (said: [String], touched: Int) {
    var said: [String] = []
    var options = bench.options()
    options.report = { said.append($0) }
    let indexer = Indexer(options)
    try indexer.catchUp()
    let outcome = try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false)
    #expect(outcome.isEqual)
    return (said, indexer.touched)
  }

  private func counts(_ healed: IndexState.Reconciliation) -> String {
    "\(healed.added) \(healed.updated) \(healed.removed)"
  }

  private func copyStore(_ bench: IndexedStore, to path: String) throws {
    try edit(bench, "VACUUM INTO '\(path)'")
  }

  @Test func `if the history after the token was purged, only differences are written`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 200)
    try Indexer(bench.options()).catchUp()
    let title = try #require(bench.film.entity.index(of: "title"))
    try bench.store.save { save in
      for key in [3, 4, 5] as [Int64] {
        try save.update(bench.film, key: key, [(attribute: title, value: .text("changed \(key)"))])
      }
      try save.delete(bench.film, key: 6)
      try save.insert(bench.film, bench.catalogue.film())
    }
    try edit(bench, "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let (said, touched) = try reconcile(bench)
    #expect(
      said == [
        "the token 1 has expired: transactions 1-2 are not in the history: comparing index and store",
        "reconciled: 1 added, 3 updated, 1 removed",
      ])
    #expect(touched == 5)
    let last = try #require(try bench.state().lastReconcile)
    #expect(counts(last) == "1 3 1")
    #expect(try bench.state().token?.number == 2)
  }

  @Test func `a store that was migrated away and back is compared, because its history lacks the lost values`() throws {
    let bench = try RelatedCatalogue(in: directory, seed: 1)
    for _ in 0..<10 { try bench.saveRandomly() }
    try Indexer(bench.options()).catchUp()
    var without = RelatedCatalogue.model
    without.entities.removeAll { $0.name == "Genre" }
    without.entities[0].relationships.removeAll { $0.name == "genres" }
    for model in [without, RelatedCatalogue.model] {
      _ = try bench.store.migrate(to: model)
      try bench.reopen()
    }
    var said: [String] = []
    var options = bench.options()
    options.report = { said.append($0) }
    try Indexer(options).catchUp()
    #expect(said.first == "the store's model has changed: comparing index and store")
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  @Test(arguments: [1, 2_000])
  func `a store restored to the token but below the high-water mark is compared`(documents: Int) throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 20)
    try Indexer(bench.options()).catchUp()
    let copies = [directory.file("one.store"), directory.file("two.store")]
    try copyStore(bench, to: copies[0])
    let title = try #require(bench.film.entity.index(of: "title"))
    func rename(to text: String) throws {
      try bench.store.save { save in
        for key in [1, 2] as [Int64] { try save.update(bench.film, key: key, [(attribute: title, value: .text(text))]) }
      }
    }
    try rename(to: "second")
    try copyStore(bench, to: copies[1])
    try rename(to: "third")
    // A process that ends after one batch: half of transaction 2, or the whole, but rows as transaction 3 left them.
    do {
      let store = try PersistentStore.open(bench.storePath)
      let writer = try GenerationWriter(path: try #require(try bench.index.serving()).path)
      let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
      let limits = HistoryTail.Limits(documents: documents, transactions: 1)
      let tail = HistoryTail(store: store, mapper: mapper, limits: limits)
      let token = try #require(writer.state.token)
      try writer.write(try #require(try store.withSnapshot { try tail.next(after: token, in: writer) }))
    }
    let token = try #require(try bench.state().token?.number)
    #expect(token == (documents == 1 ? 1 : 2))
    #expect(Glibc.rename(copies[Int(token) - 1], bench.storePath) == 0)
    for suffix in ["-wal", "-shm"] { unlink(bench.storePath + suffix) }
    let (said, touched) = try reconcile(bench)
    #expect(
      said == [
        "the store is older than the index: its newest transaction is \(token), the token is 3: "
          + "comparing index and store",
        "reconciled: 0 added, \(documents == 1 ? 1 : 2) updated, 0 removed",
      ])
    #expect(touched == (documents == 1 ? 1 : 2))
  }

  @Test func `a purge of one author's transactions is reported and reconciled`() throws {
    let bench = try IndexedStore(in: directory, seed: 2, films: 20)
    try Indexer(bench.options()).catchUp()
    try bench.insert(1, author: "ann")
    try bench.insert(1, author: "bob")
    try bench.insert(1, author: "ann")
    try edit(
      bench,
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 3;
      DELETE FROM ATRANSACTION WHERE Z_PK = 3
      """)
    let (said, touched) = try reconcile(bench)
    #expect(
      said == [
        "the token 1 has expired: transaction 3 is not in the history: comparing index and store",
        "reconciled: 3 added, 0 updated, 0 removed",
      ])
    #expect(touched == 3)
  }

  @Test func `a store restored from an older copy is reconciled`() throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 20)
    let copy = directory.file("copy.store")
    try copyStore(bench, to: copy)
    try bench.insert(5)
    try Indexer(bench.options()).catchUp()
    #expect(rename(copy, bench.storePath) == 0)
    for suffix in ["-wal", "-shm"] { unlink(bench.storePath + suffix) }
    let (said, touched) = try reconcile(bench)
    #expect(
      said == [
        "the store is older than the index: its newest transaction is 1, the token is 2: comparing index and store",
        "reconciled: 0 added, 0 updated, 5 removed",
      ])
    #expect(touched == 5)
  }

  @Test func `an older copy with new transactions up to the same number is detected by its time stamp`() throws {
    let bench = try IndexedStore(in: directory, seed: 4, films: 20)
    let copy = directory.file("copy.store")
    try copyStore(bench, to: copy)
    try bench.insert(1)
    try Indexer(bench.options()).catchUp()
    #expect(rename(copy, bench.storePath) == 0)
    for suffix in ["-wal", "-shm"] { unlink(bench.storePath + suffix) }
    bench.store = try PersistentStore.open(bench.storePath, access: .readWrite)
    try bench.insert(1)
    let (said, touched) = try reconcile(bench)
    #expect(
      said == [
        "the history has diverged: transaction 2 of the store is not the one that was indexed: comparing index and store",
        "reconciled: 0 added, 1 updated, 0 removed",
      ])
    #expect(touched == 1)
  }

  @Test func `a store replaced by another one is reconciled`() throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 20)
    try Indexer(bench.options()).catchUp()
    let before = bench.store.uuid
    let other = TemporaryDirectory()
    let second = try IndexedStore(in: other, seed: 6, films: 7)
    try copyStore(second, to: directory.file("other.store"))
    #expect(rename(directory.file("other.store"), bench.storePath) == 0)
    for suffix in ["-wal", "-shm"] { unlink(bench.storePath + suffix) }
    let (said, _) = try reconcile(bench)
    #expect(
      said == [
        "the store is another one: the index followed \(before): comparing index and store",
        "reconciled: 0 added, 7 updated, 13 removed",
      ])
  }

  @Test func `without permission to reconcile, an expired token is an error and changes nothing`() throws {
    let bench = try IndexedStore(in: directory, seed: 7, films: 3)
    try Indexer(bench.options()).catchUp()
    let before = try bench.dump()
    try bench.insert(1)
    try edit(bench, "DELETE FROM ATRANSACTION")
    var options = bench.options()
    options.reconciles = false
    let error = #expect(throws: OperationError.self) { try Indexer(options).catchUp() }
    #expect(error?.code == .historyGone)
    #expect(try bench.dump() == before)
  }

  @Test func `a repair writes only damaged documents`() throws {
    let bench = try IndexedStore(in: directory, seed: 8, films: 30)
    try Indexer(bench.options()).catchUp()
    let whole = try bench.dump()
    // Behind the history's back: rows change, and no transaction says so.
    try edit(
      bench,
      """
      UPDATE ZFILM SET ZTITLE = 'unheard of' WHERE Z_PK IN (1, 2);
      DELETE FROM ZFILM WHERE Z_PK = 3
      """)
    let verify = Verify(storePath: bench.storePath, directory: bench.index)
    let found = try verify.run(isQuick: false)
    #expect(found.stale == ["Film/p1", "Film/p2"])
    #expect(found.extra == ["Film/p3"])
    #expect(found.missing.isEmpty)
    #expect(try verify.run(isQuick: true).isEqual == false)
    let repaired = try verify.repair()
    #expect(counts(repaired) == "0 2 1")
    #expect(try verify.run(isQuick: false).isEqual)
    let after = try bench.dump()
    #expect(after.documents.filter { whole.documents[$0.key] == $0.value }.count == 27)
  }
}
