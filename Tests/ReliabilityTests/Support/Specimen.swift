// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport

@testable import SearchIndex

/// A store and an index that is some saves behind it, as files: each round damages a copy.
final class Specimen {
  /// A copy.
  struct Copy {
    let directory: TemporaryDirectory
    let shell: Shell
    /// Of the index that serves now.
    func servedDefinition() throws -> IndexDefinition? {
      try index.serving().map { try IndexState.read(path: $0.path).definition }
    }
    var store: String { directory.file("films.store") }
    var index: IndexDirectory { IndexDirectory(path: store + ".index") }

    func dump() throws -> CanonicalDump { try CanonicalDump(of: index) }

    /// The dump of an index that is built anew from the store, as SQLite reads it now.
    func rebuiltDump() throws -> CanonicalDump {
      let fresh = IndexDirectory(path: directory.file("fresh.index"))
      defer { try? FileManager.default.removeItem(atPath: fresh.path) }
      _ = try Rebuild(storePath: store, directory: fresh, definition: try servedDefinition(), isComplete: true, keep: 0)
        .run()
      return try CanonicalDump(of: fresh)
    }

    /// What index, lock and stub files there are in the serving generation.
    func files() throws -> [String] {
      guard let serving = try index.serving() else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: serving.path).sorted().map { serving.path + "/" + $0 }
    }
  }

  let bench: IndexedStore
  private let template: TemporaryDirectory
  /// What the index says as it is, and what it says once it has caught up.
  private(set) var dump = CanonicalDump()
  private(set) var whole = CanonicalDump()
  /// The documents of rows that changed after the index. The next pass replaces them, so they are not compared.
  private(set) var pending: Set<String> = []
  /// What the index was built by.
  private(set) var definition: IndexDefinition?

  /// - Parameter generations: How many there are; the last one serves.
  init(seed: Int, films: Int = 40, pending: Int = 3, generations: Int = 1) throws {
    template = TemporaryDirectory()
    bench = try IndexedStore(in: template, seed: seed, films: films)
    try Indexer(bench.options()).catchUp()
    for _ in 1..<generations {
      for _ in 0..<3 { try bench.saveRandomly() }
      _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    }
    dump = try bench.dump()
    let token = try bench.store.newest()
    for _ in 0..<pending { try bench.saveRandomly() }
    self.pending = try Set(bench.store.changedRows(after: token).map { try bench.store.identifier(of: $0).short })
    whole = try bench.expectedDump()
    definition = try bench.state().definition
  }

  deinit { template.remove() }

  /// Moves everything from the `-wal` into the store's file.
  func checkpoint() throws {
    try Connection(path: bench.storePath, access: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// - Parameter suffixes: Files beside the store that are copied too.
  func withCopy(_ suffixes: [String] = ["-wal", ".index"], _ body: (Copy) throws -> Void) throws {
    try TemporaryDirectory.with { directory in
      let copy = Copy(directory: directory, shell: Shell(in: directory))
      for suffix in [""] + suffixes where FileManager.default.fileExists(atPath: bench.storePath + suffix) {
        try FileManager.default.copyItem(atPath: bench.storePath + suffix, toPath: copy.store + suffix)
      }
      try body(copy)
    }
  }
}

extension Rounds {
  /// Seeds in a few groups, so that what each group makes once is not made for each seed.
  static func groups(_ usual: Int, full: Int, long: Int) -> [[Int]] {
    let seeds = seeds(usual, full: full, long: long)
    let size = max(1, min(seeds.count / 4, 50))
    return stride(from: 0, to: seeds.count, by: size).map { Array(seeds[$0..<min($0 + size, seeds.count)]) }
  }
}
