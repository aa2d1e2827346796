// SPDX-License-Identifier: MIT

import Foundation
import Store
import TestSupport
import Testing

/// A process that saves without end, `LoadWriter`, and what its store must hold afterwards.
enum Load {
  /// Starts the writer on a new store in `path`, and waits for its first save.
  static func start(
    in directory: TemporaryDirectory, at path: String, seed: Int, isForeign: Bool = false
  ) throws -> Shell.Running {
    let writer = try Shell(in: directory).start(
      [path, "\(seed)"] + (isForeign ? ["foreign"] : []), program: Shell.products + "/LoadWriter")
    let end = Date().addingTimeInterval(60)
    while acknowledged(writer.output) == 0 {
      try #require(writer.isRunning && Date() < end, "\(writer.errors)")
      usleep(1_000)
    }
    return writer
  }

  /// The number of the last save that was acknowledged.
  static func acknowledged(_ output: String) -> Int64 {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.flatMap { Int64($0) } ?? 0
  }

  /// The store holds the acknowledged saves, perhaps later ones of the same seed too, and each of them whole.
  static func expectStore(_ path: String, seed: Int, acknowledged: Int64) throws {
    let found = try #require(try StoreContent(path: path))
    let newest = try PersistentStore.open(path).newest()
    #expect(newest >= acknowledged, "seed \(seed): acknowledged saves are lost")
    let replay = TemporaryDirectory(inMemory: true)
    defer { replay.remove() }
    let bench = try IndexedStore(in: replay, seed: seed, films: 20)
    while try bench.store.newest() < newest { try bench.saveRandomly() }
    #expect(try StoreContent(path: bench.storePath) == found, "seed \(seed)")
  }
}
