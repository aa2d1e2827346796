// SPDX-License-Identifier: MIT

import Foundation
import PersistentStore
import TestSupport
import Testing

/// Several processes save to one store at once.
@Suite(.serialized, .overlapping(minutes: 120), .temporaryDirectory)
struct WriterTests {
  private let directory = TemporaryDirectory()

  private static let writers = 8

  /// One save as its writer reported it.
  private struct Saved {
    let number: Int64
    let author: String
    let busy: Int
    let microseconds: Int
  }

  /// Lets all writers save so many times, and returns what they reported.
  private func save(_ count: Int, to bench: IndexedStore, seed: Int) throws -> [Saved] {
    let shell = Shell(in: bench.directory)
    let writers = try (0..<Self.writers).map { lane in
      try shell.start(
        [bench.storePath, "\(seed * 100 + lane)", "\(count)"], program: Shell.products + "/LoadWriter")
    }
    return writers.enumerated().flatMap { lane, writer -> [Saved] in
      let ended = writer.wait()
      #expect(ended.code == 0, "\(ended)")
      let saved = ended.lines.compactMap { line -> Saved? in
        let parts = line.split(separator: " ").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        return Saved(
          number: Int64(parts[0]), author: "writer-\(seed * 100 + lane)", busy: parts[1], microseconds: parts[2])
      }
      #expect(saved.count == count)
      #expect(saved.map(\.number) == saved.map(\.number).sorted())
      return saved
    }
  }

  /// Every acknowledged save is one transaction of its writer. There are no others, and no number is skipped.
  private func expectWhole(_ saved: [Saved], in bench: IndexedStore, after first: Int64) throws {
    var authors: [Int64: String] = [:]
    for save in saved {
      #expect(authors.updateValue(save.author, forKey: save.number) == nil, "\(save.number) was given twice")
    }
    var found: [Int64: String] = [:]
    try bench.store.transactions(after: first) { found[$0.number] = $0.author }
    #expect(found == authors)
    #expect(found.keys.sorted() == Array(first + 1...first + Int64(saved.count)))
    #expect(try bench.store.newest() == first + Int64(saved.count))
  }

  private func latency(_ saved: [Saved]) -> String {
    let sorted = saved.map(\.microseconds).sorted()
    func quantile(_ share: Double) -> String {
      String(format: "%.1f ms", Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1_000)
    }
    return "median \(quantile(0.5)), p99 \(quantile(0.99)), busy \(saved.reduce(0) { $0 + $1.busy })"
  }

  @Test(arguments: [1])
  func `eight writers beside a follower: no save is lost, no number skipped, and the index ends equal`(
    seed: Int
  ) throws {
    let count = Rounds.count(20, full: 60, long: 5_000)
    let alone = try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: seed, films: 20)
      let saved = try save(count, to: bench, seed: seed)
      try expectWhole(saved, in: bench, after: 1)
      return saved
    }
    let bench = try IndexedStore(in: directory, seed: seed, films: 20)
    let shell = Shell(in: directory)
    let follower = try shell.start(["index", "--follow"])
    try #require(follower.waitForError("following"))
    let saved = try save(count, to: bench, seed: seed)
    try expectWhole(saved, in: bench, after: 1)
    try shell.succeed("wait", "--timeout", "120s")
    follower.signal(SIGTERM)
    let ended = follower.wait()
    #expect(ended.code == 0, "\(ended)")
    #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
    try shell.succeed("verify")
    print("\(Self.writers) writers, \(count) saves each: alone \(latency(alone)); with a follower \(latency(saved))")
  }
}
