// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// An index far behind its store.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct BacklogTests {
  private let directory = TemporaryDirectory()

  private static let large = Rounds.isLong ? 100_000 : 5_000
  /// More than one batch, so that a complete one was in memory.
  private static let small = 2_500

  /// The peak memory of a process in kilobytes, as far as it was sampled.
  private func peak(of running: Shell.Running) -> Int {
    var peak = 0
    while running.isRunning {
      let status = (try? String(contentsOfFile: "/proc/\(running.pid)/status", encoding: .utf8)) ?? ""
      if let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
      {
        peak = max(peak, number)
      }
      usleep(2_000)
    }
    return peak
  }

  /// Creates an index of 2,000 films, adds a backlog, and returns the peak memory of the pass that indexes it.
  private func catchUp(behind: (IndexedStore) throws -> Int64) throws -> Int {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 1, films: 2_000)
      let shell = Shell(in: directory)
      try #require(try shell.run("index").code == 0)
      let newest = try behind(bench)
      let pass = try shell.start(["index"])
      let peak = peak(of: pass)
      let outcome = pass.wait()
      #expect(outcome.code == 0, "\(outcome)")
      #expect(outcome.errors == "")
      #expect(try bench.state().token?.number == newest)
      try shell.succeed("verify", "--quick")
      return peak
    }
  }

  private func save(_ count: Int, to bench: IndexedStore) throws -> Int64 {
    for turn in 0..<count {
      try bench.store.save { save in
        try save.update(
          bench.film, key: Int64(turn % 2_000 + 1),
          [(attribute: 1, value: .text("\(turn) " + bench.catalogue.words(20)))])
      }
    }
    return try bench.store.newest()
  }

  @Test func `a backlog of many transactions is indexed in batches, with constant memory`() throws {
    let few = try catchUp { try save(Self.small, to: $0) }
    let many = try catchUp { try save(Self.large, to: $0) }
    print("peak memory: \(Self.small) transactions \(few) kB, \(Self.large) transactions \(many) kB")
    // Twice, or forty times, the history; half as much again, and what an allocator keeps.
    #expect(few > 0)
    #expect(many < few * 3 / 2 + 24_576)
  }

  @Test func `one large transaction is indexed in parts, with constant memory`() throws {
    func insert(_ count: Int, into bench: IndexedStore) throws -> Int64 {
      try bench.store.save { save in
        for turn in 0..<count {
          var film = [Value?](repeating: .null, count: bench.film.entity.attributes.count)
          film[0] = .text("number \(turn)")
          film[1] = .text(bench.catalogue.words(5))
          try save.insert(bench.film, film)
        }
      }.transaction
    }
    let few = try catchUp { try insert(Self.small, into: $0) }
    let many = try catchUp { try insert(Self.large * 4, into: $0) }
    print("peak memory: \(Self.small) changes \(few) kB, \(Self.large * 4) changes \(many) kB")
    #expect(few > 0)
    #expect(many < few * 3 / 2 + 24_576)
  }

  @Test(arguments: [1])
  func `purges beside a follower and a writer never remove transactions that are not indexed yet`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 100)
    let shell = Shell(in: directory)
    try #require(try shell.run("index").code == 0)
    let follower = try shell.start(["index", "--follow"])
    try #require(follower.waitForError("following"))
    var purged: Int64 = 0
    for round in 0..<(Rounds.isLong ? 100 : 10) {
      let purge = try shell.start(["history", "purge", "--before", "\(Int64.max)"])
      while purge.isRunning {
        try bench.saveRandomly()
        // SQLite's lock is not fair: a writer without a pause may keep others from it for ever.
        usleep(1_000)
      }
      let outcome = purge.wait()
      #expect([0, 75].contains(outcome.code), "\(outcome)")
      if round % 3 == 0 { #expect(try shell.run("wait", "--timeout", "60s").code == 0) }
      purged = try bench.store.oldest() ?? 0
    }
    #expect(purged > 1)
    #expect(try shell.run("wait", "--timeout", "60s").code == 0)
    follower.signal(SIGTERM)
    let ended = follower.wait()
    #expect(ended.code == 0, "\(ended)")
    // One line, that it follows: nothing expired, nothing was compared.
    #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
    #expect(try bench.dump() == (try bench.expectedDump()))
  }
}
