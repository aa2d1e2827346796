// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct InMemoryTests {
  private let directory = TemporaryDirectory()

  /// The contents of all tables of a store, without its identity and timestamps.
  private func contents(_ store: PersistentStore) throws -> [String] {
    try [
      "SELECT type, name, sql FROM sqlite_master ORDER BY name", "SELECT * FROM ZFILM", "SELECT * FROM ZACTOR",
      "SELECT * FROM Z_PRIMARYKEY", "SELECT * FROM ACHANGE", "SELECT * FROM ATRANSACTIONSTRING",
      "SELECT Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS FROM ATRANSACTION", "SELECT Z_PLIST FROM Z_METADATA",
    ].flatMap { try StoreFixture.rows(store.connection, $0) }
  }

  private func runSaves(_ store: PersistentStore) throws {
    let (actor, film) = (store.layout.entities[0], store.layout.entities[1])
    func values(_ title: String, _ code: String) -> [Value?] {
      film.entity.attributes.map { ["title": .text(title), "code": .text(code)][$0.name] }
    }
    try store.save(author: "editor") { save in
      try save.insert(film, values("Up", "u"))
      try save.insert(film, values("Cars", "c"))
      try save.insert(actor, [.text("Ed")])
    }
    try store.save { save in
      try save.delete(film, key: 1)
      try save.update(film, key: 2, [(0, .text("Cars 2"))])
    }
    let refused = try storeErrorCode { try store.save { save in try save.insert(film, values("Again", "c")) } }
    #expect(refused == .duplicate)
  }

  @Test func `after the same saves an in-memory store has the same contents as a file`() throws {
    let memory = try PersistentStore.createInMemory(model: StoreFixture.model)
    let file = try PersistentStore.create(directory.file("films.store"), model: StoreFixture.model)
    for store in [memory, file] { try runSaves(store) }
    let (found, wanted) = (try contents(memory), try contents(file))
    #expect(found == wanted)
    let verdict = try memory.withSnapshot { try memory.verdict(on: try memory.token(of: 1)) }
    #expect(verdict == .valid)
    let titles = try memory.withSnapshot { try memory.values(of: memory.layout.entities[1], key: 2)?.first }
    #expect(titles == .text("Cars 2"))
    let purged = try HistoryPurger(memory).step(before: 2)
    #expect(purged == HistoryPurge(transactions: 1, changes: 3))
  }

  @Test func `an in-memory store has no file and is never replaced`() throws {
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: "."))
    let store = try PersistentStore.createInMemory(model: StoreFixture.model)
    #expect(store.path == ":memory:")
    #expect(store.isInMemory)
    try runSaves(store)
    #expect(!store.isReplaced)
    let after = Set(try FileManager.default.contentsOfDirectory(atPath: "."))
    #expect(!after.subtracting(before).contains { $0.contains("memory") })
    let sizes = try store.sizes()
    #expect(sizes.bytes > 0 && sizes.bytes % 4096 == 0)
    #expect((sizes.walBytes, sizes.transactions, sizes.changes) == (0, 2, 5))
  }

  @Test func `in-memory stores do not share data`() throws {
    let stores = try (0..<2).map { _ in try PersistentStore.createInMemory(model: StoreFixture.model) }
    try runSaves(stores[0])
    let counts = try stores.map { try $0.count() }
    #expect(counts == [2, 0])
    #expect(stores[0].uuid != stores[1].uuid)
  }

  @Test func `an in-memory store refuses an invalid model and a migration`() throws {
    let bad = try storeErrorCode { _ = try PersistentStore.createInMemory(model: ModelDescription(entities: [])) }
    #expect(bad == .invalidModel)
    let store = try PersistentStore.createInMemory(model: StoreFixture.model)
    let model = ModelDescription(entities: [StoreFixture.model.entities[1]])
    let text = try storeErrorText { _ = try store.migrate(to: model) }
    #expect(text == "a store in memory keeps the model it was made with")
  }
}
