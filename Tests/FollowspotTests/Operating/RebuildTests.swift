// SPDX-License-Identifier: MIT

import Base
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct RebuildTests {
  @Test func `a rebuild keeps one earlier generation and never reuses a number`() throws {
    let bench = try IndexedStore(seed: 1, films: 5)
    try Indexer(bench.options()).catchUp()
    let rebuild = Rebuild(storePath: bench.storePath, directory: bench.index)
    #expect(try rebuild.run().generation == 2)
    #expect(try rebuild.run().generation == 3)
    #expect(bench.index.generations() == [2, 3])
    #expect(try Rollback.run(in: bench.index) == 2)
    #expect(try Rollback.run(in: bench.index) == nil)
    #expect(try rebuild.run().generation == 4)
    #expect(bench.index.generations() == [2, 4])
  }

  @Test func `after a rollback the next pass updates the older generation`() throws {
    let bench = try IndexedStore(seed: 2, films: 5)
    try Indexer(bench.options()).catchUp()
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    let indexer = Indexer(bench.options())
    for _ in 0..<5 { try bench.saveRandomly() }
    try indexer.catchUp()
    #expect(try Rollback.run(in: bench.index) == 1)
    #expect(try bench.state().token?.number == 1)
    try indexer.catchUp()
    #expect(try bench.state().token?.number == bench.store.newest())
    #expect(try bench.dump() == (try bench.expectedDump()))
  }

  @Test func `an open indexer continues with the generation of a rebuild`() throws {
    let bench = try IndexedStore(seed: 3, films: 5)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    #expect(try indexer.isOutdated())
    try bench.saveRandomly()
    try indexer.catchUp()
    #expect(try bench.index.serving()?.number == 2)
    #expect(try bench.dump() == (try bench.expectedDump()))
  }

  @Test func `a changed definition is reported, rebuilt and kept`() throws {
    let bench = try IndexedStore(seed: 4, films: 5)
    try Indexer(bench.options()).catchUp()
    let definition = IndexDefinition(
      language: "english", stopWords: [],
      entities: ["Film": EntityDefinition(title: ["title"], fields: [FieldDefinition(name: "title", roles: [.text])])])
    var said: [String] = []
    var options = bench.options()
    options.definition = definition
    options.report = { said.append($0) }
    try Indexer(options).catchUp()
    #expect(said == ["the index definition has changed: rebuilding beside the serving index"])
    #expect(try bench.state().definition == definition)
    // Without naming it again it stays in force, through a pass and a rebuild.
    try bench.saveRandomly()
    try Indexer(bench.options()).catchUp()
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run()
    #expect(try bench.state().definition == definition)
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  @Test func `readers refuse an index of another format, and the indexer rebuilds it with its definition`() throws {
    let bench = try IndexedStore(seed: 7, films: 5)
    var options = bench.options()
    options.definition = IndexDefinition(
      language: "english", stopWords: [],
      entities: ["Film": EntityDefinition(title: ["title"], fields: [FieldDefinition(name: "title", roles: [.text])])])
    try Indexer(options).catchUp()
    try {
      let writer = try IndexWriter(path: bench.index.path(ofGeneration: 1), stemmer: "none")
      try writer.begin()
      try writer.commit(metadata: ["followspot": "1"])
    }()
    let error = #expect(throws: IndexError.self) { try bench.state() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("has format 1; this version writes \(DocumentLayout.format)") == true)
    #expect(error?.recovery == .rebuildIndex)
    try Indexer(bench.options()).catchUp()
    #expect(try bench.state().definition == options.definition)
    #expect(try bench.dump() == (try bench.expectedDump(options.definition)))
  }

  @Test(arguments: [0, 1, 2])
  func `a rebuild from runs equals the updated index, with its records of truncated rows`(seed: Int) throws {
    let bench = try IndexedStore(seed: seed, films: 0)
    try Indexer(bench.options()).catchUp()
    try bench.insert(60)
    try bench.store.save { save in
      let long = String(repeating: "x", count: 70)
      for key in [3, 30, 60] as [Int64] { try save.update(bench.film, key: key, [(attribute: 0, value: .text(long))]) }
    }
    for _ in 0..<10 { try bench.saveRandomly() }
    try Indexer(bench.options()).catchUp()
    let tailed = try bench.dump()
    let checksum = try bench.state().checksum
    let failed = try failures(bench)
    var limits = IndexBuilder.Limits()
    limits.documents = 7
    limits.fan = 3
    _ = try Rebuild(storePath: bench.storePath, directory: bench.index, limits: limits).run()
    #expect(try bench.index.serving()?.number == 2)
    #expect(try bench.dump() == tailed)
    #expect(try bench.state().checksum == checksum)
    #expect(try failures(bench) == failed)
    #expect(!failed.isEmpty)
  }

  private func failures(_ bench: IndexedStore) throws -> [String: String] {
    let serving = try #require(try bench.index.serving())
    let reader = try IndexReader(path: serving.path)
    let keys = try reader.metadataKeys(prefix: "failed/")
    return try Dictionary(uniqueKeysWithValues: keys.map { ($0, try reader.metadata($0) ?? "") })
  }

  @Test func `a replay without the first transaction is refused and keeps the serving index`() throws {
    let bench = try IndexedStore(seed: 5, films: 5)
    try bench.insert(1)
    try Indexer(bench.options()).catchUp()
    try purge(bench, before: 2)
    let rebuild = Rebuild(storePath: bench.storePath, directory: bench.index, origin: .replay)
    let error = #expect(throws: OperationError.self) { try rebuild.run() }
    #expect(error?.code == .historyGone)
    #expect(error?.action == .rebuildIndex)
    #expect(bench.index.generations() == [1])
    #expect(try bench.index.serving()?.number == 1)
  }

  @Test func `a second tailer and a second rebuild are refused with the name of the holder`() throws {
    let bench = try IndexedStore(seed: 6, films: 1)
    try Indexer(bench.options()).catchUp()
    let tailer = try FileLock(.update, in: bench.index, verb: "index --follow")
    let builder = try FileLock(.rebuild, in: bench.index, verb: "rebuild")
    for attempt in [
      { _ = try Pass.run(bench.options()) },
      { _ = try Verify(storePath: bench.storePath, directory: bench.index).repair() },
      { _ = try Rebuild(storePath: bench.storePath, directory: bench.index).run() },
      { _ = try Rollback.run(in: bench.index) },
    ] as [() throws -> Void] {
      let error = #expect(throws: OperationError.self) { try attempt() }
      #expect(error?.code == .locked)
      #expect(error?.message.contains("process \(pid())") == true)
    }
    withExtendedLifetime((tailer, builder)) {}
  }
}
