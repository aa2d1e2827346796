// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Readers that keep a snapshot while other processes work.
@Suite(.serialized, .overlapping(minutes: 60), .temporaryDirectory)
struct LongReaderTests {
  private let directory = TemporaryDirectory()

  /// The slot of the identity.
  private static let identitySlot: UInt32 = 1

  private func scan(_ reader: IndexReader) throws -> Int {
    final class Count { var documents = 0 }
    let count = Count()
    try reader.eachValue(slot: Self.identitySlot) { _ in
      count.documents += 1
      return true
    }
    return count.documents
  }

  private func walBytes(_ shell: Shell) throws -> Int {
    let output = try shell.run("status", "--format", "json").output
    let match = try #require(try /"walBytes":(\d+)/.firstMatch(in: output), "\(output)")
    return Int(match.1) ?? -1
  }

  @Test func `a reader with a snapshot sees one state, and status reports the growing log`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 50)
    let shell = Shell(in: directory)
    let follower = try shell.start(["index", "--follow"])
    try #require(follower.waitForError("following"))
    let commits = Rounds.count(150, long: 5_000)
    /// The largest log seen during so many saves.
    func save(_ count: Int) throws -> Int {
      var largest = 0
      for turn in 0..<count {
        try bench.insert(5)
        if turn % 50 == 49 { largest = max(largest, try walBytes(shell)) }
      }
      return max(largest, try walBytes(shell))
    }
    let before = try save(commits)
    let reader = try PersistentStore.open(bench.storePath)
    let held = try reader.withSnapshot {
      let rows = try reader.count(of: bench.film)
      let newest = try reader.newest()
      let largest = try save(commits)
      #expect(try shell.run("wait", "--timeout", "60s").code == 0)
      #expect(try reader.count(of: bench.film) == rows)
      #expect(try reader.newest() == newest)
      return largest
    }
    let after = try save(commits)
    print("the log beside \(commits) saves: \(before) bytes, \(held) with a held snapshot, \(after) when it was let go")
    // Beside nobody the log begins anew each time it was brought into the store, every thousand pages.
    #expect(held > before)
    // It keeps its size, and grows no more.
    #expect(after <= held + before)
    #expect(try reader.withSnapshot { try reader.count(of: bench.film) } == bench.keys.count)
    follower.signal(SIGTERM)
    let ended = follower.wait()
    #expect(ended.code == 0 && ended.errors.split(separator: "\n").count == 1, "\(ended)")
    #expect(try shell.run("verify").code == 0)
  }

  @Test func `a reader of the index answers correctly during many commits`() throws {
    let bench = try IndexedStore(in: directory, seed: 2, films: 50)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    let serving = try #require(try bench.index.serving())
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    let reader = try IndexReader(path: serving.path)
    #expect(try searcher.search(SearchRequest(query: "*")).estimated == 50)
    let commits = Rounds.count(60, long: 1_000)
    var counts: Set<Int> = [50]
    var last = 50
    for turn in 0..<commits {
      try bench.insert(2)
      try indexer.catchUp()
      let found = try searcher.search(SearchRequest(query: "*"))
      #expect(found.estimated == bench.keys.count)
      #expect(found.index.lagTransactions == 0)
      counts.insert(bench.keys.count)
      guard turn % 5 == 4 else { continue }
      // A revision is overwritten after two commits. A scan of all documents, which cannot go on in another one, says
      // so and is begun again; it never sees parts of two.
      let documents: Int
      do {
        documents = try scan(reader)
      } catch {
        #expect((error as? IndexError)?.code == .changed, "\(error)")
        try reader.reopen()
        documents = try scan(reader)
        #expect(documents == bench.keys.count)
      }
      #expect(counts.contains(documents) && documents >= last, "\(documents) after \(last)")
      last = documents
    }
    #expect(last > 50)
  }

  @Test func `readers beside a busy follower see complete revisions and no errors`() async throws {
    let directory = TemporaryDirectory()
    let bench = try IndexedStore(in: directory, seed: 3, films: 100)
    let shell = Shell(in: directory)
    let follower = try shell.start(["index", "--follow"])
    try #require(follower.waitForError("following"))
    let end = Date().addingTimeInterval(Rounds.isLong ? 120 : 4)
    let (storePath, index) = (bench.storePath, bench.index)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<2 {
        group.addTask {
          var searches = 0
          do {
            let searcher = try Searcher(storePath: storePath, directory: index)
            var token: Int64 = 0
            repeat {
              let result = try searcher.search(SearchRequest(query: "*"))
              #expect(result.index.token >= token)
              #expect(result.estimated >= 100)
              token = result.index.token
              searches += 1
            } while Date() < end
          } catch {
            Issue.record(error)
          }
          return searches
        }
      }
      while Date() < end {
        do { try bench.insert(3) } catch {
          Issue.record(error)
          break
        }
      }
      for await searches in group { #expect(searches > 0) }
    }
    follower.signal(SIGTERM)
    #expect(follower.wait().code == 0)
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("verify").code == 0)
  }
}
