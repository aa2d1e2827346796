// SPDX-License-Identifier: MIT

import Followspot
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SearchIndex

/// Counts the forks of this process by the present thread. Spawning a program is not a fork.
private enum Forks {
  static let thread = Mutex<pthread_t?>(nil)
  static let count = Atomic(0)

  static let registration: Int32 = pthread_atfork(
    { if Forks.thread.withLock({ $0 }) == pthread_self() { Forks.count.add(1, ordering: .relaxed) } }, nil, nil)

  /// How often this thread forks while `body` runs.
  static func during(_ body: () throws -> Void) rethrows -> Int {
    precondition(registration == 0)
    thread.withLock { $0 = pthread_self() }
    defer { thread.withLock { $0 = nil } }
    let before = count.load(ordering: .relaxed)
    try body()
    return count.load(ordering: .relaxed) - before
  }
}

@Suite(.serialized, .overlapping, .temporaryDirectory)
struct ForkTests {
  @Test func `the indexer never forks an embedding program`() throws {
    let bench = try IndexedStore(seed: 1, films: 50)
    let forks = try Forks.during {
      try Indexer(bench.options()).catchUp()
      _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
      _ = try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false)
      _ = try Searcher(storePath: bench.storePath, directory: bench.index).search(SearchRequest(query: "*"))
    }
    #expect(forks == 0)
  }
}
