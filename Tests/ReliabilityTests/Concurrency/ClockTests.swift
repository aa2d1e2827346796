// SPDX-License-Identifier: MIT

import Foundation
import Store
import TestSupport
import Testing

/// Processes with wrong clocks: the order of the history is that of its numbers.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct ClockTests {
  private let directory = TemporaryDirectory()

  enum Clock: String, CaseIterable, Sendable {
    case right
    case aYearBehind
    case tenYearsAhead
    case standingStill

    func shell(_ shell: Shell) throws -> Shell {
      var shell = shell
      shell.environment["LD_PRELOAD"] = try FaultPoint.library
      switch self {
      case .right: break
      case .aYearBehind: shell.environment["FAULTPOINT_CLOCK_SHIFT"] = "\(-365 * 86_400)"
      case .tenYearsAhead: shell.environment["FAULTPOINT_CLOCK_SHIFT"] = "\(3_650 * 86_400)"
      case .standingStill: shell.environment["FAULTPOINT_CLOCK_STOP"] = "\(Int(Date().timeIntervalSince1970) - 86_400)"
      }
      return shell
    }
  }

  /// Saves by a process of that clock; returns the number of the transaction.
  private func save(_ clock: Clock, _ shell: Shell, _ bench: IndexedStore) throws -> Int64 {
    let number = try bench.store.newest() + 1
    let outcome = try clock.shell(shell).run("set", "Film/p1", "title=word\(number)", "--author", clock.rawValue)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(try bench.store.newest() == number)
    return number
  }

  @Test func `each clock of this test shows its time`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 1)
    let now = Date().timeIntervalSince1970
    // The first save of a store has no earlier one to come after.
    for clock in Clock.allCases {
      let path = directory.file("\(clock.rawValue).store")
      let films = try directory.write("{\"title\": \"Up\"}\n", to: "films.jsonl")
      #expect(try clock.shell(Shell(in: directory)).run("--store", path, "import", films, "--kind", "Film").code == 0)
      var first: StoredTransaction?
      try PersistentStore.open(path).transactions { first = $0 }
      let time = try #require(first).secondsSince1970
      let days: [Clock: Double] = [.right: 0, .aYearBehind: -365, .tenYearsAhead: 3_650, .standingStill: -1]
      #expect(((time - now) / 86_400).rounded() == days[clock], "\(clock)")
    }
    #expect(try bench.store.newest() == 1)
  }

  @Test(arguments: Rounds.seeds(1, long: 20))
  func `saves of processes with different clocks keep their order and have different time stamps`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 3)
    let shell = Shell(in: directory)
    var authors: [Int64: String] = [1: "importer"]
    for turn in 0..<24 {
      let clock = bench.catalogue.pick(Clock.allCases) ?? .right
      authors[try save(clock, shell, bench)] = clock.rawValue
      guard turn % 3 == 2 else { continue }
      let indexing = bench.catalogue.pick(Clock.allCases) ?? .right
      let pass = try indexing.shell(shell).run("index")
      #expect(pass.code == 0 && pass.errors == "", "\(indexing): \(pass)")
      #expect(try shell.run("count", "title:word\(bench.store.newest())").output == "1\n")
    }
    var found: [(number: Int64, author: String?, timestamp: Double)] = []
    try bench.store.transactions { found.append(($0.number, $0.author, $0.timestamp)) }
    #expect(found.map(\.number) == Array(1...25))
    #expect(found.map(\.author) == (1...25).map { authors[$0] })
    #expect(found.map(\.timestamp) == found.map(\.timestamp).sorted())
    #expect(Set(found.map(\.timestamp)).count == 25)
    #expect(try shell.run("verify").code == 0)
  }

  @Test(arguments: Clock.allCases, Clock.allCases)
  func `a purge by age never removes transactions that an index has not read`(saving: Clock, purging: Clock) throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 3)
    let shell = Shell(in: directory)
    for _ in 0..<2 { _ = try save(saving, shell, bench) }
    #expect(try shell.run("index").code == 0)
    // What came after may be of another clock, and seem older than what was before.
    for clock in [saving, .right, saving] { _ = try save(clock, shell, bench) }
    let purge = try purging.shell(shell).run("history", "purge", "--keep", "30d")
    #expect(purge.code == 0, "\(purge)")
    // Seen from ten years ahead all is old, but for what was saved there; the index has read up to transaction 3.
    let oldest: Int64 = purging != .tenYearsAhead ? 1 : saving == .tenYearsAhead ? 2 : 3
    #expect(try bench.store.oldest() == oldest, "\(purge)")
    let pass = try shell.run("index")
    #expect(pass.code == 0 && pass.errors == "", "\(pass)")
    #expect(try shell.run("verify").code == 0)
    #expect(try shell.run("count", "title:word6").output == "1\n")
  }

  @Test func `a time stamp in the future does not hide a lag, and is reported wherever ages matter`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 3)
    let shell = Shell(in: directory)
    _ = try save(.tenYearsAhead, shell, bench)
    #expect(try shell.run("index").code == 0)
    // A right clock, but its stamp has to come after the one before.
    _ = try save(.right, shell, bench)
    let sentence = /transaction 2 is stamped 20\d\d-\d\d-\d\dT[0-9:.]+Z, in the future/
    for limit in ["0", "1ms"] {
      let refused = try shell.run("count", "*", "--index-only", "--max-lag", limit)
      #expect(refused.code == 4 && refused.output == "", "\(limit): \(refused)")
      #expect(refused.errors.contains("1 transaction behind; "), "\(refused)")
      #expect(refused.errors.contains(sentence), "\(refused)")
    }
    let exact = try shell.run("count", "title:word3", "--max-lag", "0")
    #expect(exact.code == 0 && exact.output == "1\n" && exact.errors == "", "\(exact)")
    let json = try shell.run("status", "--format", "json").output
    #expect(json.contains(/"lagTransactions":1,"lagSeconds":[0-9.]*[1-9][0-9.]*,"futureStamp":2,/), "\(json)")
    #expect(try shell.run("status").output.contains(sentence))
    #expect(try shell.run("doctor").output.contains("clock: transaction 2 is stamped "))
    let changed = try shell.run("count", "changed:today")
    #expect(changed.errors.contains(sentence), "\(changed)")
    #expect(try shell.run("index").code == 0)
    let purged = try shell.run("history", "purge", "--keep", "0s")
    #expect(purged.output.contains(#""purged":1,"#) && purged.errors.contains(sentence), "\(purged)")
    #expect(try bench.store.oldest() == 2)
    #expect(try shell.run("history", "purge", "--before", "3").output.contains(#""purged":1,"#))
    #expect(try shell.run("verify").code == 0)
  }

  @Test func `a lag limit of 0 allows no missing transaction, however recent it is`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 3)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("count", "*", "--index-only", "--max-lag", "0").code == 0)
    _ = try save(.right, shell, bench)
    #expect(try shell.run("count", "*", "--index-only", "--max-lag", "0").code == 4)
    // Of a clock that is a moment behind the saver's, the transaction has no age yet.
    var behind = shell
    behind.environment["LD_PRELOAD"] = try FaultPoint.library
    behind.environment["FAULTPOINT_CLOCK_SHIFT"] = "-1"
    #expect(try behind.run("count", "*", "--index-only", "--max-lag", "0").code == 4)
    #expect(try shell.run("count", "*", "--index-only", "--max-lag", "1h").code == 0)
  }
}
