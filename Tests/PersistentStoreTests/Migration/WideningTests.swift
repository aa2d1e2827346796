// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Attributes that get a wider type: integers become other numbers, and numbers become text.
@Suite(.overlapping, .temporaryDirectory)
struct WideningTests {
  private let directory = TemporaryDirectory()

  private static func model(
    _ types: (n: AttributeType, x: AttributeType), _ options: [AttributeDescription.Option] = [.preserveValueOnDeletion]
  ) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        "Item",
        attributes: [
          AttributeDescription("n", types.n, isOptional: true, options: options),
          AttributeDescription("x", types.x, isOptional: true, options: options),
        ])
    ])
  }

  private static func migrate(_ path: String, to model: ModelDescription) throws -> PersistentStore {
    _ = try PersistentStore.open(path, access: .readWrite).migrate(to: model)
    return try PersistentStore.open(path, access: .readWrite)
  }

  @Test func `numbers become text step by step, in rows and in tombstones`() throws {
    let path = directory.file("items.store")
    var store = try PersistentStore.create(path, model: Self.model((.integer64, .double)))
    let rows: [[Value]] = [[.integer(7), .real(2.5)], [.null, .real(3)], [.integer(-9), .null]]
    for values in rows + [[.integer(1), .real(0.5)]] {
      let item = store.layout.entities[0]
      try store.save { try $0.insert(item, values) }
    }
    let item = store.layout.entities[0]
    try store.save { _ = try $0.delete(item, key: 4) }
    func values(_ key: Int64) throws -> [Value]? { try store.values(of: store.layout.entities[0], key: key) }

    store = try Self.migrate(path, to: Self.model((.double, .double)))
    #expect(try values(1) == [.real(7), .real(2.5)])
    store = try Self.migrate(path, to: Self.model((.string, .string)))
    #expect(try values(1) == [.text("7.0"), .text("2.5")])
    #expect(try values(2) == [.null, .text("3.0")])
    #expect(try values(3) == [.text("-9.0"), .null])
    let deleted = try Connection(path: path, access: .readOnly).integer(
      "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZTOMBSTONE0 IS '1.0' AND ZTOMBSTONE1 IS '0.5'")
    #expect(deleted == 1)
  }

  @Test func `an integer that a double cannot hold exactly is refused`() throws {
    let path = directory.file("items.store")
    let store = try PersistentStore.create(path, model: Self.model((.integer64, .double)))
    let item = store.layout.entities[0]
    try store.save { try $0.insert(item, [.integer((1 << 53) + 1), .null]) }
    let text = try storeErrorText { _ = try store.migrate(to: Self.model((.double, .double))) }
    #expect(text == "Item.n holds 9007199254740993, which a double cannot hold exactly")
    #expect(try store.values(of: item, key: 1) == [.integer((1 << 53) + 1), .null])
  }

  @Test func `a duplicate value is named when its attribute becomes unique`() throws {
    let store = try PersistentStore.create(directory.file("items.store"), model: Self.model((.integer64, .string)))
    let item = store.layout.entities[0]
    try store.save { save in
      for text in ["a", "twice", "twice"] { try save.insert(item, [.null, .text(text)]) }
    }
    let text = try storeErrorText {
      _ = try store.migrate(to: Self.model((.integer64, .string), [.unique]))
    }
    #expect(text == "two rows of Item have the same x, to be unique from now on: 'twice'")
  }
}
