// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Groups that search one joined index instead of the indexes of their stores.
@Suite(.overlapping, .temporaryDirectory)
struct JoinedIndexTests {
  private let directory = TemporaryDirectory()

  /// Many small stores. Their files were last changed an hour ago.
  private final class Stores {
    static let model = ModelDescription(entities: [
      EntityDescription(
        "Note", attributes: [AttributeDescription("title", .string), AttributeDescription("text", .string)])
    ])
    static let other = ModelDescription(entities: [
      EntityDescription("Book", attributes: [AttributeDescription("title", .string)])
    ])
    static let words = ["toy", "story", "garden", "robot", "island", "winter", "running", "runs", "train", "moon"]

    let directory: TemporaryDirectory
    let count: Int
    var random: SeededGenerator

    let folder: String

    /// The last of them has another model.
    ///
    /// - Parameter folder: The beginning of the paths of the stores.
    init(in directory: TemporaryDirectory, count: Int, seed: Int, folder: String = "") throws {
      (self.directory, self.count, random) = (directory, count, SeededGenerator(seed: seed))
      self.folder = folder
      for number in 0..<count {
        try make(number)
        try index(number)
        try age(number)
      }
    }

    func path(_ number: Int) -> String { directory.file("\(folder)\(number).store") }
    func directory(_ number: Int) -> IndexDirectory { IndexDirectory(path: path(number) + ".index") }
    var joined: JoinedDirectory { JoinedDirectory(path: directory.file("cache/followspot/group.index")) }

    var parts: [SearchGroup.Part] {
      (0..<count).map { .store(name: "s\($0)", path: path($0), directory($0)) }
    }

    private func text(_ most: Int) -> Value {
      let count = Int.random(in: 1...most, using: &random)
      return .text((0..<count).map { _ in Self.words.randomElement(using: &random)! }.joined(separator: " "))
    }

    private func record(_ store: PersistentStore) -> [Value] {
      store.layout.entities[0].entity.name == "Book" ? [text(3)] : [text(3), text(12)]
    }

    func make(_ number: Int) throws {
      let store = try PersistentStore.create(path(number), model: number == count - 1 ? Self.other : Self.model)
      // A gap at the beginning and one at the end of the numbers of documents.
      try store.save { save in
        for _ in 0..<Int.random(in: 3...12, using: &random) { try save.insert(store.layout.entities[0], record(store)) }
      }
    }

    enum Edit: CaseIterable { case insert, update, delete }

    func edit(_ number: Int, _ edit: Edit) throws {
      let store = try PersistentStore.open(path(number), access: .readWrite)
      let entity = store.layout.entities[0]
      let rows = try store.rows(of: entity, attributes: [])
      var keys: [Int64] = []
      while let row = try rows.next() { keys.append(row.key) }
      try store.save { save in
        switch edit {
        case .insert: try save.insert(entity, record(store))
        case .update:
          guard let key = keys.randomElement(using: &random) else { return }
          try save.update(entity, key: key, [(attribute: 0, value: text(3))])
        case .delete:
          for key in [keys.first, keys.last].compactMap(\.self) where keys.count > 1 {
            try save.delete(entity, key: key)
          }
        }
      }
    }

    func index(_ number: Int) throws {
      try Indexer(Indexer.Options(storePath: path(number), directory: directory(number))).catchUp()
    }

    func age(_ number: Int) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path(number))
    }

    func join() throws -> Int? { try IndexJoin(parts, in: joined, check: {}).run() }

    /// - Parameter isJoined: Whether the group may use the joined index.
    func group(isJoined: Bool) throws -> SearchGroup {
      // Other tests can make the process forget them.
      for number in [0, count - 1] { try CheckpointedStore.learn(PersistentStore.open(path(number))) }
      return try SearchGroup(parts, joined: isJoined ? joined : nil)
    }
  }

  private static let queries = [
    "toy", "toy story", "running", "\"winter garden\"", "title:moon", "moon OR robot", "island -train", "gardn", "*",
    "tra*",
    "text:robot title:toy", "the moon runs over a winter garden", "book",
  ]

  /// What a search shows. Scores depend on the numbers of documents with each word, which a joined index also takes from
  /// documents of stores that have changed since.
  private func answer(_ group: SearchGroup, _ query: String, scores: Bool) throws -> [String] {
    var request = SearchRequest(query: query)
    request.limit = nil
    request.facets = ["title"]
    request.wantsSnippets = true
    request.fields = ["text"]
    let result = try group.search(request)
    let hits = result.hits.map { hit in
      "\(hit.store ?? "") \(hit.identifier) \(hit.title) \(hit.freshness) \(hit.snippet.map { "\($0)" } ?? "") "
        + "\(hit.fields["text"]?.texts ?? []) \(scores ? String(Int((hit.score * 1e6).rounded())) : "")"
    }
    let facets = result.facets.flatMap { facet in facet.values.map { "\($0.text)=\($0.count)" } }.sorted()
    let stores = result.stores.map { "\($0.name) \($0.index.token) \($0.index.answersAt) \($0.index.isOfThisStore)" }
    return hits.sorted() + facets + stores + result.notes + ["\(result.isWidened) \(result.estimated)"]
  }

  private func expectEqual(_ stores: Stores, _ state: String, scores: Bool) throws {
    let (one, other) = (try stores.group(isJoined: true), try stores.group(isJoined: false))
    for query in Self.queries {
      // The weight of a prefix is estimated for each index.
      let scores = scores && !query.hasSuffix("*")
      let (found, expected) = (try answer(one, query, scores: scores), try answer(other, query, scores: scores))
      #expect(found == expected, "\(state): \(query)")
    }
  }

  /// How many stores the next search reads in the joined index.
  private func joinedStores(_ stores: Stores) throws -> Int {
    let group = try stores.group(isJoined: true)
    guard let joined = group.joined else { return 0 }
    return stores.parts.indices.count { joined.currentMember($0, at: stores.parts[$0].place) != nil }
  }

  @Test(arguments: Rounds.seeds(1, long: 30))
  func `answers are those of the stores' own indexes while the stores change`(seed: Int) throws {
    let stores = try Stores(in: directory, count: 36, seed: seed)
    for number in 0..<4 {
      try stores.edit(number, .delete)
      try stores.index(number)
      try stores.age(number)
    }
    #expect(try stores.join() == 35)
    #expect(try joinedStores(stores) == 35)
    try expectEqual(stores, "seed \(seed), joined", scores: true)
    #expect(try stores.join() == nil, "nothing has changed")
    var changed: Set<Int> = []
    for step in 0..<12 {
      let number = Int.random(in: 0..<36, using: &stores.random)
      let edit = Stores.Edit.allCases.randomElement(using: &stores.random)!
      try stores.edit(number, edit)
      if Bool.random(using: &stores.random) { try stores.index(number) }
      if Int.random(in: 0..<4, using: &stores.random) == 0 {
        _ = try Rebuild(storePath: stores.path(number), directory: stores.directory(number)).run()
      }
      if Bool.random(using: &stores.random) { try stores.age(number) }
      changed.insert(number)
      #expect(try joinedStores(stores) == 35 - changed.subtracting([35]).count)
      try expectEqual(stores, "seed \(seed), step \(step): \(edit) in \(number)", scores: false)
    }
    for number in 0..<36 {
      try stores.index(number)
      try stores.age(number)
    }
    #expect(try stores.join() == 35)
    try expectEqual(stores, "seed \(seed), joined again", scores: true)
  }

  @Test func `a group that stays open sees saves`() throws {
    let stores = try Stores(in: directory, count: 34, seed: 7)
    #expect(try stores.join() == 33)
    let group = try stores.group(isJoined: true)
    for number in [0, 5, 33] {
      _ = try answer(group, "toy", scores: false)
      try stores.edit(number, .update)
      if number == 5 { try stores.age(number) }
      for query in Self.queries {
        let expected = try answer(stores.group(isJoined: false), query, scores: false)
        #expect(try answer(group, query, scores: false) == expected, "\(number): \(query)")
      }
    }
    unlink(stores.path(3))
    #expect(try group.search(SearchRequest(query: "toy")).missing.count == 1)
    #expect(try stores.group(isJoined: true).search(SearchRequest(query: "toy")).missing.count == 1)
  }

  /// What can happen to the files of a joined index.
  enum Fault: CaseIterable, Sendable {
    case noList, shortList, strangeList, changedList, noTable, shortTable, zeros, revisions, empty
  }

  @Test func `a damaged joined index is not used`() throws {
    let stores = try Stores(in: directory, count: 34, seed: 8)
    for fault in Fault.allCases {
      #expect(try stores.join() == 33, "\(fault)")
      try damage(#require(stores.joined.newest), fault)
      try expectEqual(stores, "\(fault)", scores: false)
    }
    #expect(try stores.join() == 33)
    #expect(try joinedStores(stores) == 33)
    try expectEqual(stores, "joined again", scores: true)
  }

  private func damage(_ path: String, _ fault: Fault) throws {
    let (list, table) = (path + "/stores", path + "/postlist.glass")
    func shorten(_ path: String) throws {
      let data = try Data(contentsOf: URL(filePath: path))
      try data.prefix(data.count / 2).write(to: URL(filePath: path))
    }
    switch fault {
    case .noList: unlink(list)
    case .shortList: try shorten(list)
    case .strangeList:
      let text = try String(contentsOfFile: list, encoding: .utf8)
      try text.replacingOccurrences(of: "joined 2", with: "joined 3")
        .write(toFile: list, atomically: true, encoding: .utf8)
    case .changedList:
      // Two stores with one number.
      let text = try String(contentsOfFile: list, encoding: .utf8)
      #expect(text.contains("\n14 "))
      try text.replacingOccurrences(of: "\n14 ", with: "\n13 ").write(toFile: list, atomically: true, encoding: .utf8)
    case .noTable: unlink(table)
    case .shortTable: try shorten(table)
    case .zeros:
      let size = try Data(contentsOf: URL(filePath: table)).count
      try Data(count: size).write(to: URL(filePath: table))
    case .revisions:
      // Xapian takes such a block for one that was overwritten meanwhile.
      var data = try Data(contentsOf: URL(filePath: table))
      for block in stride(from: 0, to: data.count, by: 8192) { data[block + 3] = 99 }
      try data.write(to: URL(filePath: table))
    case .empty: for name in try FileManager.default.contentsOfDirectory(atPath: path) { unlink(path + "/" + name) }
    }
  }

  @Test func `stores with the same fields but different models are not joined`() throws {
    let stores = try Stores(in: directory, count: 36, seed: 11)
    let definition = try IndexState.read(path: try #require(try stores.directory(0).serving()).path).definition
    var grown = Stores.model
    grown.entities[0].attributes.append(AttributeDescription("picture", .data, isOptional: true))
    for number in 0..<35 {
      if number % 10 == 3 {
        _ = try PersistentStore.open(stores.path(number), access: .readWrite).migrate(to: grown)
      }
      let rebuild = Rebuild(
        storePath: stores.path(number), directory: stores.directory(number), definition: definition)
      _ = try rebuild.run()
      try stores.age(number)
    }
    #expect(try stores.join() == nil, "31 stores have one model")
    for number in [3, 33] {
      try FileManager.default.removeItem(atPath: stores.path(number))
      try stores.make(number)
      _ = try Rebuild(
        storePath: stores.path(number), directory: stores.directory(number), definition: definition
      ).run()
      try stores.age(number)
    }
    #expect(try stores.join() == 33)
    try expectEqual(stores, "two models", scores: true)
  }

  @Test func `a save is seen if directories are renamed behind a link`() throws {
    try FileManager.default.createDirectory(atPath: directory.file("first"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("current"), withDestinationPath: directory.file("first"))
    let stores = try Stores(in: directory, count: 34, seed: 12, folder: "current/")
    #expect(try stores.join() == 33)
    #expect(try joinedStores(stores) == 33)
    #expect(rename(directory.file("first"), directory.file("second")) == 0)
    unlink(directory.file("current"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("current"), withDestinationPath: directory.file("second"))
    // The log holds the save as long as the store is open.
    let writer = try PersistentStore.open(stores.path(4), access: .readWrite)
    try writer.save { save in try save.insert(writer.layout.entities[0], [.text("zebra"), .text("zebra")]) }
    try stores.age(4)
    #expect(try stores.group(isJoined: true).search(SearchRequest(query: "zebra")).hits.map(\.title) == ["zebra"])
    try expectEqual(stores, "renamed", scores: false)
  }

  @Test func `stores that cannot be joined do not make every index join again`() throws {
    let stores = try Stores(in: directory, count: 40, seed: 13)
    var writers: [PersistentStore] = []
    for number in 0..<4 {
      let store = try PersistentStore.open(stores.path(number), access: .readWrite)
      try store.save { save in try save.insert(store.layout.entities[0], [.text("toy"), .text("toy")]) }
      writers.append(store)
      try stores.index(number)
      try stores.age(number)
    }
    #expect(try stores.join() == 35)
    #expect(try stores.join() == nil)
    try expectEqual(stores, "beside writers", scores: false)
    writers = []
    for number in 0..<4 { try stores.age(number) }
    #expect(try stores.join() == 39)
  }

  private struct Stop: Error {}

  @Test func `a join that is ended, or fails, leaves the earlier one`() throws {
    let stores = try Stores(in: directory, count: 34, seed: 9)
    #expect(try stores.join() == 33)
    let before = stores.joined.newest
    for number in 0..<10 {
      try stores.edit(number, .insert)
      try stores.index(number)
      try stores.age(number)
    }
    for last in [0, 20, 36, 38] {
      var calls = 0
      #expect(throws: Stop.self) {
        _ = try IndexJoin(stores.parts, in: stores.joined) {
          calls += 1
          if calls > last { throw Stop() }
        }.run()
      }
      #expect(stores.joined.newest == before)
      let names = try FileManager.default.contentsOfDirectory(atPath: stores.joined.path)
      #expect(names == [before.map { String($0.split(separator: "/").last!) }], "\(last)")
    }
    // A store is saved while the indexes are joined.
    var calls = 0
    #expect(throws: IndexError.self) {
      _ = try IndexJoin(stores.parts, in: stores.joined) {
        calls += 1
        if calls == 36 { try stores.edit(20, .insert) }
      }.run()
    }
    #expect(calls >= 36 && stores.joined.newest == before)
    try expectEqual(stores, "not joined", scores: false)
  }

  @Test func `few stores, and stores that were just saved, are not joined`() throws {
    let stores = try Stores(in: directory, count: 33, seed: 10)
    #expect(try stores.join() == 32)
    try stores.edit(4, .insert)
    #expect(try IndexJoin(Array(stores.parts.prefix(31)), in: stores.joined, check: {}).run() == nil)
    for number in 0..<5 {
      try stores.edit(number, .insert)
      try stores.index(number)
    }
    // They are at rest a few seconds after they were saved.
    #expect(try stores.join() == 32)
    try expectEqual(stores, "joined again", scores: true)
  }
}
