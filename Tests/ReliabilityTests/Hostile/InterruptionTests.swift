// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import Store
import TestSupport
import Testing

/// Signals at random moments, and pipes whose reader ends.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct InterruptionTests {
  private let directory = TemporaryDirectory()

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGSTOP]

  /// The number of rounds of each scenario.
  private static let rounds = max(1, Rounds.count(10, full: 36, long: 1_000) / Scenario.all.count)

  @Test(arguments: Scenario.all)
  func `a signal at any moment ends a verb as the shell expects, and leaves no files behind`(
    _ scenario: Scenario
  ) throws {
    let stage = try Stage(scenario)
    var generator = SeededGenerator(seed: scenario.name.utf8.count)
    var ended: [String: Int] = [:]
    for round in 0..<Self.rounds {
      let signal = Self.signals[(round + scenario.name.utf8.count) % Self.signals.count]
      let pause = UInt32.random(in: 0...120_000, using: &generator)
      let played = try stage.interrupt(by: signal, afterMicroseconds: pause)
      try stage.expectSound(played) { played in
        let outcome = played.outcome
        let isStop = signal == SIGTSTP || signal == SIGSTOP
        // Passes and rebuilds catch the end of a terminal like SIGTERM.
        let codes = [0, 128 + signal] + (signal == SIGHUP ? [128 + SIGTERM] : [])
        let isFine = outcome.signal == 0 ? codes.contains(outcome.code) : outcome.signal == signal
        #expect(isFine && (!isStop || outcome.code == 0), "\(scenario.name), \(played.fault): \(outcome)")
        ended[outcome.code == 0 ? "done" : "ended by \(signal)", default: 0] += 1
      }
    }
    print("\(scenario.name): \(ended.sorted { $0.key < $1.key })")
  }

  @Test(arguments: [SIGINT, SIGTERM], Rounds.seeds(1, full: 3, long: 50))
  func `a follower that is stopped inside a large batch ends soon, and keeps what it had committed`(
    signal: Int32, seed: Int
  ) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 20)
    let shell = Shell(in: directory)
    let follower = try shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "))
    try bench.insert(600)
    usleep(UInt32(bench.catalogue.number(0...300)) * 1_000)
    let clock = ContinuousClock()
    let started = clock.now
    follower.signal(signal)
    let ended = follower.wait()
    #expect(ended.code == 0, "seed \(seed): \(ended)")
    // A batch is small; the bound is what a service manager grants before it kills.
    #expect(clock.now - started < .seconds(30), "seed \(seed)")
    let token = try #require(try bench.state().token).number
    #expect(token == 1 || token == 2, "seed \(seed)")
    #expect(try shell.run("index").code == 0)
    #expect(try bench.dump() == (try bench.expectedDump()), "seed \(seed)")
  }

  @Test func `a verb ends silently when the reader of its output ends`() throws {
    _ = try IndexedStore(in: directory, seed: 1, films: 300)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    for command in [
      "search '*' -n 0", "search '*' --format json", "search '*' --format ndjson", "search '*' --format tsv",
      "search '*' --format csv", "search '*' --format ids", "history", "history --format json", "history --format tsv",
      "schema", "status", "show Film/p1 Film/p2 --format json", "help", "help search",
    ] {
      for reader in ["head -1", "head -c 1", "true"] {
        let piped = try shell.runToEnd(
          ["-c", "\"$0\" \(command) | \(reader) >/dev/null; exit ${PIPESTATUS[0]}", Shell.program],
          program: "/bin/bash", "\(command) | \(reader)")
        #expect(piped.code == 0 && piped.signal == 0, "\(command) | \(reader): \(piped)")
        #expect(piped.errors == "", "\(command) | \(reader)")
      }
    }
  }
}
