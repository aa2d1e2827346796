// SPDX-License-Identifier: MIT

import Base
import Foundation
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Purges beneath a token that lags behind.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct PurgeBeneathTests {
  private struct Round {
    let bench: IndexedStore
    let token: StoreToken
    var said: [String] = []

    /// An index and some saves that it has not seen; then a purge of some length.
    init(in directory: TemporaryDirectory, seed: Int, isWaitedFor: Bool) throws {
      bench = try IndexedStore(in: directory, seed: seed, films: 5)
      for _ in 0..<bench.catalogue.number(0...4) { try bench.insert(1) }
      try Indexer(bench.options()).catchUp()
      token = try #require(try bench.state().token)
      for _ in 0..<bench.catalogue.number(1...8) { try bench.insert(1) }
      if !isWaitedFor { try Consumers(storePath: bench.storePath).drop(Consumers.name(of: bench.index)) }
      let bound = Int64(bench.catalogue.number(1...Int(try bench.store.newest()) + 2))
      let bounds: [Purge.Bound] = [.before(bound), .before(.max), .keep(seconds: 0)]
      _ = try Purge(Purge.Options(storePath: bench.storePath, bound: bench.catalogue.pick(bounds) ?? .before(bound)))
        .run()
    }

    /// What a pass says; the index ends equal.
    func pass() throws -> [String] {
      var said: [String] = []
      var options = bench.options()
      options.report = { said.append($0) }
      options.burstPause = 0
      try Indexer(options).catchUp()
      #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
      #expect(try bench.state().token?.number == bench.store.newest())
      return said
    }
  }

  private func each(isWaitedFor: Bool, _ body: (Int, Round) throws -> Void) throws {
    for seed in Rounds.seeds(8, full: 40, long: 2_000) {
      let directory = TemporaryDirectory(inMemory: true)
      defer { directory.remove() }
      try body(seed, Round(in: directory, seed: seed, isWaitedFor: isWaitedFor))
    }
  }

  @Test func `a purge that ignores a token is detected each time, and no other purge is`() throws {
    var noticed = 0
    try each(isWaitedFor: false) { seed, round in
      let isLost = try History(round.bench.storePath).loss(of: round.token) == .expired
      var forbidden = round.bench.options()
      forbidden.reconciles = false
      if isLost {
        noticed += 1
        let error = #expect(throws: OperationError.self, "seed \(seed)") { try Indexer(forbidden).catchUp() }
        #expect(error?.code == .historyGone, "seed \(seed)")
      }
      let said = try round.pass()
      #expect(said.contains { $0.contains("has expired") } == isLost, "seed \(seed): \(said)")
    }
    print("history purged beneath a token: noticed \(noticed) of \(noticed)")
    #expect(noticed > 0)
  }

  @Test func `a purge never removes history that a registered index needs`() throws {
    try each(isWaitedFor: true) { seed, round throws in
      #expect(try History(round.bench.storePath).loss(of: round.token) == nil, "seed \(seed)")
      #expect(try round.pass() == [], "seed \(seed)")
    }
  }
}
