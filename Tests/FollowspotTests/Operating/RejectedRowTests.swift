// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Rows whose documents Xapian rejects, because the test adds a term that is too long. They are skipped and recorded, and
/// all other rows are indexed.
@Suite(.overlapping, .temporaryDirectory)
struct RejectedRowTests {
  /// What makes Xapian reject a document, and when.
  enum Poison: CaseIterable, CustomTestStringConvertible {
    /// Immediately: a term of 246 bytes.
    case longTerm
    /// At the commit, without naming the document: a NUL counts as two bytes in a key.
    case nuls

    var testDescription: String { self == .longTerm ? "rejected at once" : "rejected at the commit" }
    var term: [UInt8] { self == .longTerm ? Array(repeating: 0x78, count: 246) : Array(repeating: 0, count: 130) }
    var reason: String {
      self == .longTerm ? "InvalidArgumentError: Term too long (> 245)" : "InvalidArgumentError: Key too long"
    }
  }

  /// Runs `body` while Xapian rejects the documents of some films.
  private func poisoning<Result>(
    _ keys: Set<Int64>, with poison: Poison, _ body: () throws -> Result
  ) rethrows -> Result {
    let terms = Set(keys.map { Array("QFilm/p\($0)".utf8) })
    let term = poison.term
    return try IndexWriter.$addedTerm.withValue({ terms.contains($0) ? term : nil }, operation: body)
  }

  private func failed(_ bench: IndexedStore) throws -> [FailedRow] {
    try UnindexedRows(directory: bench.index).list().rows
  }

  /// Expects records of the rejected rows, and the documents of all others.
  private func expectRejected(
    _ keys: Set<Int64>, _ bench: IndexedStore, _ poison: Poison, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let rows = try failed(bench).filter { $0.kind == .rejected }
    #expect(rows.map(\.key) == keys.sorted(), sourceLocation: sourceLocation)
    #expect(rows.allSatisfy { $0.reason.hasPrefix(poison.reason) }, "\(rows)", sourceLocation: sourceLocation)
    var expected = try bench.expectedDump()
    for key in keys { expected.documents["Film/p\(key)"] = nil }
    #expect(try bench.dump() == expected, sourceLocation: sourceLocation)
    let newest = try bench.store.newest()
    #expect(try bench.state().token?.number == newest, sourceLocation: sourceLocation)
    let complete = try #require(try Status(storePath: bench.storePath, directory: bench.index).complete)
    #expect(complete.leftOut.rows(.rejected) == keys.count, sourceLocation: sourceLocation)
    let films = try Connection(path: bench.storePath, access: .readOnly).integer("SELECT count(*) FROM ZFILM")
    #expect(complete.rows == films.map { Int($0) }, sourceLocation: sourceLocation)
    #expect(complete.documents == expected.documents.count, sourceLocation: sourceLocation)
    for isQuick in [false, true] {
      let outcome = try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: isQuick)
      #expect(outcome.isEqual, "\(outcome)", sourceLocation: sourceLocation)
      #expect(outcome.leftOut.rejected == keys.count, sourceLocation: sourceLocation)
      #expect(outcome.documents == expected.documents.count, sourceLocation: sourceLocation)
    }
    #expect(try bench.state().lastReconcile?.reason != "verify --repair", sourceLocation: sourceLocation)
  }

  private func rebuild(_ bench: IndexedStore, _ origin: IndexState.Origin = .null) throws -> Rebuild.Outcome {
    try Rebuild(storePath: bench.storePath, directory: bench.index, origin: origin).run()
  }

  @Test(arguments: Poison.allCases)
  func `rejected rows of a batch are skipped, recorded and reported, and the token advances`(_ poison: Poison) throws {
    let bench = try IndexedStore(seed: 1, films: 5)
    try Indexer(bench.options()).catchUp()
    try bench.insert(40)
    let poisoned: Set<Int64> = [6, 19, 20, 45]
    var said: [String] = []
    var options = bench.options()
    options.report = { said.append($0) }
    try poisoning(poisoned, with: poison) {
      let indexer = Indexer(options)
      try indexer.catchUp()
      #expect(said.count == 4)
      #expect(said.allSatisfy { $0.contains(" is left out of the index: \(poison.reason)") }, "\(said)")
      // The rest of the batch was not written a second time as another change.
      try indexer.catchUp()
      #expect(said.count == 4)
      indexer.discard()
      try expectRejected(poisoned, bench, poison)
      // Nor are they tried again with every pass.
      let next = Indexer(options)
      try next.catchUp()
      #expect(next.touched == 0)
    }
  }

  @Test(arguments: Rounds.seeds(1, full: 4, long: 4).map { 11 + $0 }, Poison.allCases)
  func `updated, rebuilt and replayed indexes skip the same rows and are equal`(
    seed: Int, _ poison: Poison
  ) throws {
    let bench = try IndexedStore(seed: seed, films: 30)
    let poisoned = Set((1...90).filter { _ in bench.catalogue.chance(9) }.map(Int64.init))
    try poisoning(poisoned, with: poison) {
      var options = bench.options()
      // Large batches and parts of batches.
      options.limits = HistoryTail.Limits(documents: bench.catalogue.number(1...20))
      for _ in 0..<3 {
        try Indexer(options).catchUp()
        for _ in 0..<bench.catalogue.number(1...20) { try bench.saveRandomly() }
      }
      try Indexer(options).catchUp()
      let left = poisoned.intersection(bench.keys)
      try expectRejected(left, bench, poison)
      let tailed = try bench.state().checksumText
      #expect(try rebuild(bench).checksum == tailed)
      try expectRejected(left, bench, poison)
      #expect(try rebuild(bench, .replay).checksum == tailed)
      try expectRejected(left, bench, poison)
    }
  }

  @Test(arguments: Poison.allCases)
  func `the old document of a rejected row is removed, and its next valid state is indexed`(_ poison: Poison) throws {
    let bench = try IndexedStore(seed: 2, films: 10)
    try Indexer(bench.options()).catchUp()
    let title = try #require(bench.film.entity.index(of: "title"))
    func save(_ text: String) throws {
      try bench.store.save { try $0.update(bench.film, key: 3, [(attribute: title, value: .text(text))]) }
    }
    try save("refused")
    try poisoning([3], with: poison) { try Indexer(bench.options()).catchUp() }
    try expectRejected([3], bench, poison)
    try save("refused once more")
    try poisoning([3], with: poison) { try Indexer(bench.options()).catchUp() }
    try expectRejected([3], bench, poison)
    try save("taken")
    try Indexer(bench.options()).catchUp()
    try expectRejected([], bench, poison)
    #expect(try failed(bench).isEmpty)
  }

  @Test(arguments: Poison.allCases)
  func `a rejected row that is deleted leaves no record`(_ poison: Poison) throws {
    let bench = try IndexedStore(seed: 3, films: 10)
    try poisoning([2, 5], with: poison) { try Indexer(bench.options()).catchUp() }
    try expectRejected([2, 5], bench, poison)
    try bench.store.save { try $0.delete(bench.film, key: 2) }
    try Indexer(bench.options()).catchUp()
    #expect(try failed(bench).map(\.key) == [5])
    // The same unseen by the history: the comparison finds it out.
    try Connection(path: bench.storePath, access: .readWrite).execute(
      "DELETE FROM ZFILM WHERE Z_PK = 5; DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    try Indexer(bench.options()).catchUp()
    #expect(try failed(bench).isEmpty)
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  @Test(arguments: Poison.allCases)
  func `a comparison skips rejected rows and tries them only once`(_ poison: Poison) throws {
    let bench = try IndexedStore(seed: 4, films: 30)
    try Indexer(bench.options()).catchUp()
    try bench.insert(30)
    let title = try #require(bench.film.entity.index(of: "title"))
    try bench.store.save { try $0.update(bench.film, key: 7, [(attribute: title, value: .text("refused"))]) }
    try Connection(path: bench.storePath, access: .readWrite).execute(
      "DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    let poisoned: Set<Int64> = [7, 33, 60]
    try poisoning(poisoned, with: poison) {
      try Indexer(bench.options()).catchUp()
      try expectRejected(poisoned, bench, poison)
      let repaired = try Verify(storePath: bench.storePath, directory: bench.index).repair()
      #expect("\(repaired.added) \(repaired.updated) \(repaired.removed)" == "0 0 0")
    }
    let before = try bench.dump()
    // Content behind the history's back is another document: it is missing, and tried.
    try Connection(path: bench.storePath, access: .readWrite).execute(
      "UPDATE ZFILM SET ZTITLE = 'another' WHERE Z_PK = 33")
    let verify = Verify(storePath: bench.storePath, directory: bench.index)
    let found = try verify.run(isQuick: true)
    #expect(found.missing == ["Film/p33"])
    #expect(found.leftOut.rejected == 2)
    let repaired = try verify.repair()
    #expect("\(repaired.added) \(repaired.updated) \(repaired.removed)" == "1 0 0")
    #expect(try verify.run(isQuick: false).isEqual)
    #expect(try failed(bench).map(\.key) == [7, 60])
    #expect(try bench.dump().documents.count == before.documents.count + 1)
  }

  @Test(arguments: Poison.allCases)
  func `a retry indexes the rows that Xapian accepts now and keeps the other records`(_ poison: Poison) throws {
    let bench = try IndexedStore(seed: 5, films: 20)
    try poisoning([1, 2, 3], with: poison) { try Indexer(bench.options()).catchUp() }
    let failures = UnindexedRows(directory: bench.index)
    var said: [String] = []
    let first = try poisoning([1, 2], with: poison) {
      try failures.retry(storePath: bench.storePath) { said.append($0) }
    }
    #expect("\(first.retried) \(first.fixed) \(first.failed)" == "3 1 2")
    #expect(said.count == 2)
    try expectRejected([1, 2], bench, poison)
    let second = try failures.retry(storePath: bench.storePath) { said.append($0) }
    #expect("\(second.retried) \(second.fixed) \(second.failed)" == "2 2 0")
    try expectRejected([], bench, poison)
    let none = try failures.retry(storePath: bench.storePath) { said.append($0) }
    #expect(none.retried == 0 && none.fixed == 0)
    #expect(said.count == 2)
  }
}
