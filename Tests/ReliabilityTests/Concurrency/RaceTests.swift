// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// Ten indexers start on one index at the same time.
@Suite(.serialized, .overlapping(minutes: 60), .temporaryDirectory)
struct RaceTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: [1])
  func `one of ten indexers wins, the others exit 5 at once, and kill -9 releases the lock`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 30)
    let shell = Shell(in: directory)
    let rounds = Rounds.count(4, full: 20, long: 1_000)
    for round in 0..<rounds {
      // The first to come makes the index; every other time there is one.
      if round % 2 == 0 { try? FileManager.default.removeItem(atPath: bench.index.path) }
      try Race.run(10, shell, bench.index, "round \(round)")
      try bench.saveRandomly()
    }
    #expect(try shell.run("index").code == 0)
    try shell.succeed("verify")
    print("\(rounds) races of ten indexers, one winner in each")
  }
}

enum Race {
  /// Starts followers together. One of them continues, and is killed when the others have ended.
  static func run(_ count: Int, _ shell: Shell, _ index: IndexDirectory, _ what: String) throws {
    let racers = try (0..<count).map { _ in try shell.start(["index", "--follow"]) }
    let end = Date().addingTimeInterval(60)
    while racers.count(where: \.isRunning) > 1, Date() < end { usleep(2_000) }
    let (winners, losers) = (racers.filter(\.isRunning), racers.filter { !$0.isRunning })
    for loser in losers {
      let outcome = loser.wait()
      #expect(outcome.code == 5, "\(what): \(outcome)")
      #expect(outcome.errors.hasPrefix("followspot: the index \(index.path) is locked by "), "\(what): \(outcome)")
    }
    #expect(winners.count == 1, "\(what)")
    guard let winner = winners.first else { return }
    #expect(winner.waitForError("following"), "\(what): \(winner.errors)")
    #expect(FileLock.holder(.update, in: index)?.pid == Int(winner.pid), "\(what)")
    for racer in winners {
      racer.signal(SIGKILL)
      #expect(racer.wait().signal == SIGKILL, "\(what)")
    }
    #expect(FileLock.holder(.update, in: index) == nil, "\(what)")
  }
}
