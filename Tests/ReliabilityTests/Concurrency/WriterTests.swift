// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
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
  ///
  /// - Parameter pages: For each writer, how many pages of the log cause a checkpoint; nil for the default.
  private func save(_ count: Int, to bench: IndexedStore, seed: Int, pages: [Int]? = nil) throws -> [Saved] {
    let shell = Shell(in: bench.directory)
    let writers = try (0..<Self.writers).map { lane in
      try shell.start(
        [bench.storePath, "\(seed * 100 + lane)", "\(count)"] + (pages.map { ["\($0[lane])"] } ?? []),
        program: Shell.products + "/LoadWriter")
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

  @Test(arguments: [2])
  func `checkpoints of eight writers at every size of the log lose no save, and the main file holds all at the end`(
    seed: Int
  ) throws {
    let count = Rounds.count(20, full: 60, long: 5_000)
    let path: String
    let saved: [Saved]
    do {
      let bench = try IndexedStore(in: directory, seed: seed, films: 20)
      // The first writer runs a checkpoint after each commit.
      saved = try save(count, to: bench, seed: seed, pages: [1, 2, 3, 5, 8, 13, 100, 1_000])
      try expectWhole(saved, in: bench, after: 1)
      path = bench.storePath
    }
    #expect(CheckpointedFile.isLogEmpty(ofFileAt: path))
    let copy = directory.file("main.store")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let connection = try Connection(path: copy, access: .readOnly)
    #expect(try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") == Int64(saved.count + 1))
    #expect(try connection.mapRows("PRAGMA integrity_check") { $0.text(at: 0) } == ["ok"])
    // Each live row is the last change of its key.
    #expect(
      try connection.integer(
        "SELECT count(*) FROM ZFILM WHERE NOT EXISTS (SELECT 1 FROM ACHANGE WHERE ZENTITYPK = Z_PK AND ZCHANGETYPE < 2)"
      )
        == 0)
  }
}
