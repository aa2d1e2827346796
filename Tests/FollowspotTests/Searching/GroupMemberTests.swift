// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// Stores of a group that are searched without opening them, unless their rows are needed.
@Suite(.overlapping, .temporaryDirectory)
struct GroupMemberTests {
  private let directory = TemporaryDirectory()

  /// Stores with one title a record. Their files were last changed an hour ago.
  private struct Stores {
    static let model = ModelDescription(entities: [
      EntityDescription("Note", attributes: [AttributeDescription("title", .string)])
    ])

    let directory: TemporaryDirectory
    let count: Int

    init(in directory: TemporaryDirectory, _ titles: [[String]]) throws {
      (self.directory, count) = (directory, titles.count)
      for (number, titles) in titles.enumerated() { try make(path(number), titles) }
    }

    func path(_ number: Int) -> String { directory.file("\(number).store") }

    func make(_ path: String, _ titles: [String]) throws {
      do {
        let store = try PersistentStore.create(path, model: Self.model)
        for title in titles { try Self.add(title, to: store) }
      }
      try index(path)
      try age(path)
    }

    static func add(_ title: String, to store: PersistentStore) throws {
      try store.save { save in try save.insert(store.layout.entities[0], [.text(title)]) }
    }

    /// Saves with a connection that is closed.
    func add(_ title: String, to number: Int) throws {
      do { try Self.add(title, to: PersistentStore.open(path(number), access: .readWrite)) }
      try age(path(number))
    }

    func directory(_ path: String) -> IndexDirectory { IndexDirectory(path: path + ".index") }

    func index(_ path: String) throws {
      try Indexer(Indexer.Options(storePath: path, directory: directory(path))).catchUp()
    }

    func age(_ path: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
    }

    func group() throws -> SearchGroup {
      // Other tests can make the process forget it.
      try CheckpointedStore.learn(PersistentStore.open(path(0)))
      return try SearchGroup(parts)
    }

    var parts: [SearchGroup.Part] {
      (0..<count).map { .store(name: "s\($0)", path: path($0), directory(path($0))) }
    }
  }

  /// Store, title and freshness of the hits, and notes.
  private func answer(_ group: SearchGroup, _ query: String) throws -> [String] {
    var request = SearchRequest(query: query)
    request.limit = nil
    let result = try group.search(request)
    let hits = result.hits.map { "\($0.store ?? "") \($0.title) \($0.freshness)" }
    #expect(try group.count(request).count == hits.count)
    return hits.sorted() + result.notes
  }

  /// Which stores are opened. The first one is not needed if another test has opened such a store.
  private func opened(_ group: SearchGroup) -> [Bool] {
    group.members.dropFirst().map { $0.opened != nil || $0.resting != nil }
  }

  private static let titles = [["alpha one"], ["beta two"], ["gamma three", "beta four"], ["delta five"]]

  @Test func `only the first store and those with hits are opened`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    #expect(opened(group) == [false, false, false])
    var request = SearchRequest(query: "gamma")
    request.limit = nil
    let result = try group.search(request)
    #expect(result.hits.map(\.title) == ["gamma three"])
    #expect(opened(group) == [false, true, false])
    #expect(result.stores.map(\.index.token) == [1, 1, 2, 1])
    #expect(result.stores.allSatisfy { $0.index.lagTransactions == 0 && $0.index.isOfThisStore })
    #expect(result.stores.map(\.index.answersAt) == [1, 1, 2, 1])
  }

  @Test func `a save between two searches is seen`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    #expect(try group.search(SearchRequest(query: "omega")).hits.isEmpty)
    #expect(opened(group) == [false, false, false])
    // The main file holds the save, but the index does not.
    try stores.add("omega six", to: 1)
    #expect(try answer(group, "omega") == ["s1 omega six overlay"])
    let next = try stores.group()
    // The log holds the save.
    let writer = try PersistentStore.open(stores.path(3), access: .readWrite)
    try Stores.add("omega seven", to: writer)
    try stores.age(stores.path(3))
    let both = ["s1 omega six overlay", "s3 omega seven overlay"]
    #expect(try answer(group, "omega") == both)
    #expect(try answer(next, "omega") == both)
    #expect(try answer(stores.group(), "omega") == both)
  }

  @Test func `an index that is updated or rebuilt between two searches is seen`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    #expect(try group.search(SearchRequest(query: "omega")).hits.isEmpty)
    try stores.add("omega six", to: 1)
    try stores.index(stores.path(1))
    try stores.age(stores.path(1))
    try stores.add("omega seven", to: 3)
    _ = try Rebuild(storePath: stores.path(3), directory: stores.directory(stores.path(3))).run()
    try stores.age(stores.path(3))
    let request = SearchRequest(query: "nothing")
    #expect(try group.search(request).stores.map(\.index.token) == [1, 2, 2, 2])
    #expect(opened(group) == [false, false, true], "a new definition is read with the store")
    #expect(try answer(group, "omega") == ["s1 omega six indexed", "s3 omega seven indexed"])
  }

  @Test func `a store that was replaced is not taken for the one of the index`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    #expect(try group.search(SearchRequest(query: "omega")).hits.isEmpty)
    // The same model and the same number of transactions.
    let other = directory.file("other.store")
    try stores.make(other, ["beta other"])
    for suffix in ["-wal", "-shm"] { unlink(stores.path(1) + suffix) }
    #expect(rename(other, stores.path(1)) == 0)
    for group in [group, try stores.group()] {
      let result = try group.search(SearchRequest(query: "four"))
      #expect(result.stores.map(\.index.isOfThisStore) == [true, false, true, true])
      #expect(result.notes.count == 1 && result.notes[0].hasPrefix("s1: "), "\(result.notes)")
    }
  }

  @Test func `a store with another model is opened`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    var grown = Stores.model
    grown.entities[0].attributes.append(AttributeDescription("text", .string, isOptional: true))
    do {
      let store = try PersistentStore.open(stores.path(2), access: .readWrite)
      _ = try store.migrate(to: grown)
    }
    do {
      let store = try PersistentStore.open(stores.path(2), access: .readWrite)
      try store.save { save in
        try save.insert(store.layout.entities[0], [.text("epsilon"), .text("zeta")])
      }
    }
    try stores.age(stores.path(2))
    for group in [group, try stores.group()] {
      #expect(try answer(group, "epsilon") == ["s2 epsilon overlay"])
      #expect(try answer(group, "beta") == ["s1 beta two indexed", "s2 beta four indexed"])
    }
  }

  @Test func `a store that cannot be read is missing from the answer, with the error of a search of it alone`() throws {
    let stores = try Stores(in: directory, Self.titles)
    let group = try stores.group()
    try Data("no store".utf8).write(to: URL(filePath: stores.path(2)))
    try stores.age(stores.path(2))
    func error(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return "\(error)" }
      return nil
    }
    let alone = error { _ = try Searcher(storePath: stores.path(2), directory: stores.directory(stores.path(2))) }
    func expectMissing(_ group: SearchGroup, _ reason: String?) throws {
      let found = try group.search(SearchRequest(query: "beta"))
      #expect(found.hits.map(\.title) == ["beta two"])
      #expect(found.missing.map(\.reason) == [reason.map { "s2: \($0)" }])
      #expect(try group.count(SearchRequest(query: "beta")).count == 1)
    }
    #expect(alone != nil)
    for group in [group, try stores.group()] { try expectMissing(group, alone) }
    try FileManager.default.removeItem(atPath: stores.path(2))
    try expectMissing(stores.group(), "no store at \(stores.path(2))")
    for number in [0, 1, 3] { try FileManager.default.removeItem(atPath: stores.path(number)) }
    #expect(error { _ = try SearchGroup(stores.parts) } == "s0: no store at \(stores.path(0))")
  }
}
