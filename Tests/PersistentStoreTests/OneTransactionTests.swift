// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

/// Saves and migrations that are committed together.
@Suite(.temporaryDirectory) struct OneTransactionTests {
  private struct Trouble: Error {}

  private let before = ModelDescription(entities: [
    EntityDescription(
      "Note",
      attributes: [
        AttributeDescription("text", .string),
        AttributeDescription("scan", .data, isOptional: true, options: [.externalStorage]),
      ])
  ])
  private let after = ModelDescription(entities: [
    EntityDescription(
      "Note",
      attributes: [
        AttributeDescription("words", .string, originalName: "text"),
        AttributeDescription("scan", .data, isOptional: true, options: [.externalStorage]),
      ])
  ])
  private let long = Value.blob(Array(repeating: 5, count: 200_000))

  private func makeStore() throws -> (PersistentStore, TemporaryDirectory) {
    let directory = TemporaryDirectory()
    let store = try PersistentStore.create(directory.file("notes.store"), model: before, versionIdentifiers: ["1.0.0"])
    try insert("first", nil, store)
    return (store, directory)
  }

  private func insert(_ text: String, _ scan: Value?, _ store: PersistentStore) throws {
    try store.save { _ = try $0.insert(store.layout.entities[0], [.text(text), scan]) }
  }

  private func texts(_ store: PersistentStore) throws -> [String] {
    let rows = try store.select("SELECT \(store.layout.entities[0].quotedColumn(0)) FROM ZNOTE ORDER BY Z_PK")
    var found: [String] = []
    while try rows.next() { found.append(rows.row.text(at: 0)) }
    return found
  }

  private func files(_ directory: TemporaryDirectory) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory.file(".notes_SUPPORT/_EXTERNAL_DATA"))) ?? []
  }

  @Test func `saves and a migration become visible together at the end`() throws {
    let (store, directory) = try makeStore()
    let other = try PersistentStore.open(store.path)
    try store.inOneTransaction {
      try insert("second", long, store)
      _ = try store.migrate(to: after, versionIdentifiers: ["2.0.0"])
      let now = try store.reread()
      #expect(now.versionIdentifiers == ["2.0.0"])
      try insert("third", nil, now)
      #expect(try texts(now) == ["first", "second", "third"])
      #expect(try other.newest() == 1)
      #expect(try texts(other) == ["first"])
    }
    let opened = try PersistentStore.open(store.path)
    #expect(opened.versionIdentifiers == ["2.0.0"])
    #expect(opened.model == after)
    #expect(try texts(opened) == ["first", "second", "third"])
    #expect(try opened.newest() == 4)
    #expect(try opened.values(of: opened.layout.entities[0], key: 2) == [.text("second"), long])
    #expect(files(directory).count == 1)
  }

  @Test func `an error rolls everything back, including files`() throws {
    let (store, directory) = try makeStore()
    let entity = store.layout.entities[0]
    try insert("kept", long, store)
    let kept = files(directory)
    #expect(kept.count == 1)
    #expect(throws: Trouble.self) {
      try store.inOneTransaction {
        try insert("second", long, store)
        try store.save { try $0.delete(entity, key: 2) }
        _ = try store.migrate(to: after)
        throw Trouble()
      }
    }
    #expect(files(directory) == kept)
    let opened = try PersistentStore.open(store.path, access: .readWrite)
    #expect(opened.model == before)
    #expect(opened.versionIdentifiers == ["1.0.0"])
    #expect(try texts(opened) == ["first", "kept"])
    #expect(try opened.values(of: entity, key: 2) == [.text("kept"), long])
    try insert("next", nil, opened)
    #expect(try opened.newest() == 3)
  }

  @Test func `a nested save that fails is rolled back, and the others stay`() throws {
    let (store, directory) = try makeStore()
    try store.inOneTransaction {
      try insert("second", long, store)
      #expect(throws: Trouble.self) {
        try store.save { save in
          _ = try save.insert(store.layout.entities[0], [.text("never"), long])
          throw Trouble()
        }
      }
      let found = try store.withSnapshot { try texts(store) }
      #expect(found == ["first", "second"])
      try insert("third", nil, store)
    }
    #expect(try texts(store) == ["first", "second", "third"])
    #expect(try store.newest() == 3)
    #expect(files(directory).count == 1)
  }

  @Test func `files that a nested save drops exist until the end`() throws {
    let (store, directory) = try makeStore()
    try insert("kept", long, store)
    try store.inOneTransaction {
      try store.save { try $0.delete(store.layout.entities[0], key: 2) }
      #expect(files(directory).count == 1)
    }
    #expect(files(directory).isEmpty)
  }

  @Test func `the names of the model's version can be changed alone`() throws {
    let (store, _) = try makeStore()
    let newest = try store.newest()
    try store.rename(versionIdentifiers: ["1.1.0", "spring"])
    let opened = try PersistentStore.open(store.path)
    #expect(opened.versionIdentifiers == ["1.1.0", "spring"])
    #expect(opened.model == before)
    #expect(try opened.newest() == newest)
  }

  @Test func `a store may have no version name, and a migration without one removes it`() throws {
    let (store, directory) = try makeStore()
    let nameless = try PersistentStore.create(directory.file("nameless.store"), model: before)
    #expect(nameless.versionIdentifiers == [])
    _ = try store.migrate(to: after)
    #expect(try PersistentStore.open(store.path).versionIdentifiers == [])
  }

  @Test func `a preview returns what a migration would do, and does nothing`() throws {
    let (store, _) = try makeStore()
    let preview = try store.previewMigration(to: after)
    #expect(preview.renamedProperties == ["Note.text → words"])
    #expect(preview.transaction == nil)
    #expect(try PersistentStore.open(store.path).model == before)
  }
}
