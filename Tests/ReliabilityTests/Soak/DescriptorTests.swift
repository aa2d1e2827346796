// SPDX-License-Identifier: MIT

import Base
import Followspot
import Foundation
import SearchIndex
import Store
import TestSupport
import Testing

/// The files that a process has open after its work.
@Suite(.overlapping, .temporaryDirectory)
struct DescriptorTests {
  private let directory = TemporaryDirectory()

  /// The files below a directory that this process has open; those of other tests do not count.
  private func open(below directory: TemporaryDirectory) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .filter { $0.hasPrefix(directory.path + "/") }.sorted()
  }

  /// All work that opens files, with and without errors.
  private func work(_ bench: RelatedCatalogue, in directory: TemporaryDirectory) throws {
    try bench.saveRandomly()
    var options = bench.options()
    if try bench.index.serving() != nil { options.definition = nil }
    _ = try Pass.run(options)
    _ = try Searcher(storePath: bench.storePath, directory: bench.index).search(SearchRequest(query: "toy story"))
    _ = try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false)
    _ = try Verify(storePath: bench.storePath, directory: bench.index).repair()
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    _ = try Rollback.run(in: bench.index)
    _ = try Purge(Purge.Options(storePath: bench.storePath, bound: .before(.max))).run()
    _ = try Status(storePath: bench.storePath, directory: bench.index)
    #expect(throws: StoreError.self) { try PersistentStore.open(directory.path) }
    let text = try directory.write("no store", to: "text")
    #expect(throws: StoreError.self) { try PersistentStore.open(text) }
    let lock = try FileLock(.update, in: bench.index, verb: "test")
    #expect(throws: OperationError.self) { try Pass.run(bench.options()) }
    withExtendedLifetime(lock) {}
  }

  @Test func `no file stays open after any number of repetitions`() throws {
    let before: [String]
    do {
      let bench = try RelatedCatalogue(in: directory, seed: 1)
      try work(bench, in: directory)
      before = open(below: directory)
      for _ in 0..<Rounds.count(20, long: 500) { try work(bench, in: directory) }
      // The store of the catalogue opens a second connection for its checkpoints, once.
      let after = open(below: directory)
      #expect(Set(after) == Set(before) && after.count <= before.count + 1, "\(after)")
      // Those of the store that the catalogue itself keeps.
      #expect(before.allSatisfy { $0.hasPrefix(bench.storePath) && !$0.hasPrefix(bench.index.path) }, "\(before)")
    }
    #expect(open(below: directory) == [])
  }
}
