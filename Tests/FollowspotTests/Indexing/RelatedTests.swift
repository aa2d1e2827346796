// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct RelatedTests {
  private let directory = TemporaryDirectory()

  private static let seeds = Rounds.seeds(2, full: 6, long: 300)

  @Test(arguments: seeds)
  func `an updated index equals a rebuilt one after every save of random graphs`(seed: Int) throws {
    let bench = try RelatedCatalogue(in: directory, seed: seed)
    let indexer = Indexer(bench.options())
    for _ in 0..<25 {
      for _ in 0..<bench.number(1...3) { try bench.saveRandomly() }
      try indexer.catchUp()
      #expect(try bench.dump() == bench.rebuiltDump(in: directory))
    }
    let outcome = try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false)
    #expect(outcome.isEqual)
  }

  @Test(arguments: seeds)
  func `commits in parts with crashes between them lead to the same index`(seed: Int) throws {
    let bench = try RelatedCatalogue(in: directory, seed: seed)
    try Indexer(bench.options()).catchUp()
    for _ in 0..<8 {
      for _ in 0..<bench.number(1...6) { try bench.saveRandomly() }
      try tail(bench, batches: bench.number(1...4))
    }
    try Indexer(bench.options()).catchUp()
    #expect(try bench.dump() == bench.rebuiltDump(in: directory))
  }

  /// A process that ends after some small batches, and loses what it had read after them.
  private func tail(_ bench: RelatedCatalogue, batches: Int) throws {
    let store = try PersistentStore.open(bench.storePath)
    let serving = try #require(try bench.index.serving())
    let writer = try GenerationWriter(path: serving.path)
    let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
    let tail = HistoryTail(store: store, mapper: mapper, limits: .init(documents: 3))
    for _ in 0..<batches {
      let token = try #require(writer.state.token)
      guard let batch = try store.withSnapshot({ try tail.next(after: token, in: writer) }) else { return }
      try writer.write(batch)
    }
  }

  /// Software that writes by batches reports the rows it wrote and no others.
  @Test(arguments: seeds)
  func `a history that records only rows with foreign keys is enough`(seed: Int) throws {
    let bench = try RelatedCatalogue(in: directory, seed: seed)
    let indexer = Indexer(bench.options())
    for _ in 0..<25 {
      try bench.saveRandomly()
      try forgetOtherEnds(bench)
      try indexer.catchUp()
      #expect(try bench.dump() == bench.rebuiltDump(in: directory))
    }
  }

  /// Removes the newest transaction's updates that wrote nothing but the to-many end of a key in another row.
  private func forgetOtherEnds(_ bench: RelatedCatalogue) throws {
    let layout = bench.store.layout
    func isOtherEnd(_ property: EntityLayout.Property, _ entity: EntityLayout) -> Bool {
      guard case .relationship(let index) = property else { return false }
      let relationship = entity.relationships[index]
      guard relationship.description.isToMany, let destination = layout.entity(number: relationship.destination),
        let inverse = layout.inverse(of: relationship, in: destination)
      else { return false }
      return !destination.relationships[inverse].description.isToMany
    }
    var forgotten: [Int64] = []
    try bench.store.eachChange(after: bench.store.newest() - 1) { _, change in
      guard let change, let entity = layout.entity(number: change.row.entity),
        let properties = change.bitmap.flatMap({ entity.properties(of: $0) })
      else { return true }
      if properties.allSatisfy({ isOtherEnd($0, entity) }) { forgotten.append(change.number) }
      return true
    }
    let outside = try Connection(path: bench.storePath, access: .readWrite)
    for number in forgotten { try outside.execute("DELETE FROM ACHANGE WHERE Z_PK = \(number)") }
  }

  @Test func `a change of very many owners is committed in parts that keep the old token`() throws {
    let bench = try RelatedCatalogue(in: directory, seed: 1)
    let studio = try #require(bench.store.layout.entity(named: "Studio"))
    let film = try #require(bench.store.layout.entity(named: "Film"))
    let count = Rounds.isLong ? 10_000 : 1_000
    try bench.store.save { save in
      let owner = try save.insert(studio, [.text("Pixar"), .integer(1986)])
      for number in 0..<count {
        try save.insert(film, [.text("Film \(number)"), .text("film-\(number)")], related: [0: [owner]])
      }
    }
    try Indexer(bench.options()).catchUp()
    try bench.store.save { try $0.update(studio, key: 1, [(0, .text("Emeryville"))]) }
    var options = bench.options()
    options.limits.documents = 300
    var tokens: [Int64] = []
    options.committed = { tokens.append($0.token?.number ?? 0) }
    try Indexer(options).catchUp()
    let parts = (count + 299) / 300
    #expect(tokens == Array(repeating: 1, count: parts - 1) + [2])
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    #expect(try searcher.count(SearchRequest(query: "studio:emeryville")).count == count)
    #expect(try searcher.count(SearchRequest(query: "pixar")).count == 0)
    #expect(try bench.dump() == bench.rebuiltDump(in: directory))
  }

  @Test func `a transaction larger than a batch is read in slices that keep the old token`() throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 1)
    try Indexer(bench.options()).catchUp()
    try bench.insert(95)
    try bench.insert(2)
    var options = bench.options()
    options.limits.documents = 30
    var tokens: [Int64] = []
    options.committed = { tokens.append($0.token?.number ?? 0) }
    try Indexer(options).catchUp()
    #expect(tokens == [1, 1, 1, 3])
    #expect(try bench.dump() == (try bench.expectedDump()))
  }
}
