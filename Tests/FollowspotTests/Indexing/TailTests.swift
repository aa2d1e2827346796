// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct TailTests {
  private let directory = TemporaryDirectory()

  private static let seeds = Rounds.seeds(2, full: 6, long: 100)

  @Test(arguments: seeds)
  func `with one transaction per batch, the dump after each token equals a model`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 5)
    var options = bench.options()
    options.limits.transactions = 1
    let indexer = Indexer(options)
    try indexer.catchUp()
    var model = try bench.expectedDump()
    #expect(try bench.dump() == model)
    for _ in 0..<25 {
      for key in try bench.saveRandomly() { model.documents["Film/p\(key)"] = try bench.expected(key) }
      try indexer.catchUp()
      #expect(try bench.dump() == model)
      #expect(try bench.state().token?.number == bench.store.newest())
    }
  }

  @Test(arguments: seeds)
  func `updated, rebuilt and replayed indexes have equal dumps and checksums`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 10)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    for round in 0..<40 {
      try bench.saveRandomly()
      if round % 7 == 0 { try indexer.catchUp() }
    }
    try indexer.catchUp()
    let tailed = try bench.dump()
    let checksum = try bench.state().checksumText
    #expect(tailed == (try bench.expectedDump()))
    for origin in [IndexState.Origin.null, .replay] {
      let rebuilt = try Rebuild(storePath: bench.storePath, directory: bench.index, origin: origin).run()
      #expect(rebuilt.checksum == checksum)
      #expect(try bench.dump() == tailed)
      #expect(try bench.state().builtFrom == origin)
    }
  }

  @Test(arguments: seeds)
  func `at token k of a replay the index has the present state of the objects changed up to k`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed)
    var touched: [[Int64]] = []
    while touched.count < 20 {
      let keys = try bench.saveRandomly()
      if try bench.store.newest() > Int64(touched.count) { touched.append(keys) }
    }
    let store = try PersistentStore.open(bench.storePath)
    let definition = IndexState(
      definition: .standard(for: store.layout.shape), isStandardDefinition: true, builtFrom: .replay)
    let writer = try GenerationWriter(newAt: directory.file("replay"), state: definition)
    try writer.commit(
      token: StoreToken(storeUUID: store.uuid, number: 0, stamp: nil, modelDigest: store.modelDigest))
    let mapper = try DocumentMapper(definition: definition.definition, layout: store.layout)
    let tail = HistoryTail(store: store, mapper: mapper, limits: .init(transactions: 1))
    var model = CanonicalDump()
    for keys in touched {
      let token = try #require(writer.state.token)
      let batch = try #require(try store.withSnapshot { try tail.next(after: token, in: writer) })
      try writer.write(batch)
      for key in keys { model.documents["Film/p\(key)"] = try bench.expected(key, definition.definition) }
      let reader = try IndexReader(path: directory.file("replay"), stemmer: definition.definition.language)
      #expect(try CanonicalDump(of: reader) == model)
    }
    let last = try #require(writer.state.token)
    let rest = try store.withSnapshot { try tail.next(after: last, in: writer) }
    #expect(rest.map(\.count) == nil)
  }

  @Test func `a delete removes its document while the row table cannot be read`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 3)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    try bench.store.save { save in try save.delete(bench.film, key: 2) }
    let editor = try Connection(path: bench.storePath, access: .readWrite)
    try editor.execute("ALTER TABLE ZFILM RENAME TO ZHIDDEN")
    try indexer.catchUp()
    try editor.execute("ALTER TABLE ZHIDDEN RENAME TO ZFILM")
    #expect(try bench.dump().documents.keys.sorted() == ["Film/p1", "Film/p3"])
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  @Test func `a save does not wait for a reader's snapshot, and the snapshot does not see it`() throws {
    let bench = try IndexedStore(in: directory, seed: 6, films: 2)
    let reader = try PersistentStore.open(bench.storePath)
    try reader.withSnapshot { () throws in
      #expect(try reader.newest() == 1)
      // A writer that had to wait would give up with `busy`.
      #expect(try bench.insert(1).transaction == 2)
      #expect(try reader.newest() == 1)
    }
    #expect(try reader.newest() == 2)
  }

  @Test func `a transaction larger than a batch is committed in parts that keep the old token`() throws {
    let bench = try IndexedStore(in: directory, seed: 2, films: 1)
    try Indexer(bench.options()).catchUp()
    try bench.insert(25)
    var options = bench.options()
    options.limits.documents = 10
    var tokens: [Int64?] = []
    options.committed = { tokens.append($0.token?.number) }
    try Indexer(options).catchUp()
    #expect(tokens == [1, 1, 2])
    #expect(try bench.dump() == (try bench.expectedDump()))
  }

  @Test func `a large transaction is read in parts, between which the token stays before it`() throws {
    let bench = try IndexedStore(in: directory, seed: 7, films: 30)
    try Indexer(bench.options()).catchUp()
    try bench.insert(3)
    try bench.store.save { save in
      for key in 1...20 as ClosedRange<Int64> {
        try save.update(bench.film, key: key, [(attribute: 0, value: .text("changed \(key)"))])
      }
      for key in 21...30 as ClosedRange<Int64> { try save.delete(bench.film, key: key) }
      for _ in 0..<25 { try save.insert(bench.film, bench.catalogue.film()) }
    }
    try bench.insert(2)
    var options = bench.options()
    options.limits.documents = 10
    options.limits.milliseconds = 600_000
    var commits: [Int64] = []
    options.committed = { commits.append($0.token?.number ?? 0) }
    let indexer = Indexer(options)
    try indexer.catchUp()
    // Transaction 2 has 3 changes, 3 has 55 and 4 has 2: six commits of 10.
    #expect(indexer.touched == 60)
    #expect(commits == [1, 1, 1, 1, 1, 4])
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  @Test func `parts that were committed before a crash are replayed correctly`() throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 1)
    try Indexer(bench.options()).catchUp()
    try bench.insert(25)
    var options = bench.options()
    options.limits.documents = 10
    let store = try PersistentStore.open(bench.storePath)
    let serving = try #require(try bench.index.serving())
    do {
      let writer = try GenerationWriter(path: serving.path)
      let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
      let tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
      let token = try #require(writer.state.token)
      try writer.write(try #require(try store.withSnapshot { try tail.next(after: token, in: writer) }))
    }  // the process ends here, with one part committed
    #expect(try bench.state().token?.number == 1)
    #expect(try bench.dump().documents.count == 11)
    try Indexer(bench.options()).catchUp()
    #expect(try bench.state().token?.number == 2)
    #expect(try bench.dump() == (try bench.expectedDump()))
  }

  @Test func `an update of attributes that are not indexed is skipped and counted`() throws {
    let bench = try IndexedStore(in: directory, seed: 4, films: 3)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    let poster = try #require(bench.film.entity.index(of: "poster"))
    try bench.store.save { save in
      try save.update(bench.film, key: 1, [(attribute: poster, value: .blob([1, 2, 3, 4, 5]))])
    }
    try indexer.catchUp()
    #expect(indexer.touched == 0)
    #expect(try bench.state().skippedUpdates == 1)
    #expect(try bench.state().token?.number == 2)
  }

  @Test(arguments: [[], [0], [0x80, 0], [0xff]] as [[UInt8]])
  func `an update with an unclear bitmap is indexed again`(bitmap: [UInt8]) throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 3)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    let title = try #require(bench.film.entity.index(of: "title"))
    try bench.store.save { save in
      try save.update(bench.film, key: 1, [(attribute: title, value: .text("quite another"))])
    }
    let editor = try Connection(path: bench.storePath, access: .readWrite)
    let statement = try editor.statement("UPDATE ACHANGE SET ZCOLUMNS = ?1 WHERE ZTRANSACTIONID = 2")
    try statement.bind(.blob(bitmap), at: 1)
    try statement.run()
    try indexer.catchUp()
    #expect(indexer.touched == 1)
    #expect(try bench.dump() == (try bench.expectedDump()))
  }
}
