// SPDX-License-Identifier: MIT

import Store
import SwiftData
import TestSupport
import Testing

@Model final class Gadget {
  #Unique<Gadget>([\.maker, \.model], [\.size])

  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }

  enum Colour: Int, Codable {
    case red = 1
    case green, blue
  }

  @Attribute(.unique) var code: String?
  var maker: String
  var model: String
  var size: Size
  @Attribute(.ephemeral) var isSelected: Bool = false
  @Attribute(.codable) var sizes: [Size] = []
  @Attribute(.preserveValueOnDeletion) var serial: Int = 0
  @Attribute(.allowsCloudEncryption) var secret: String = ""
  @Attribute(hashModifier: "2") var colour: Colour = Colour.green
  @Transient var note = "none"

  init(_ model: String, maker: String = "Acme", code: String? = nil, size: Size) {
    self.model = model
    self.maker = maker
    self.code = code
    self.size = size
  }
}

/// What each option of an attribute does.
@Suite(.everyStore, .temporaryDirectory) struct AttributeTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try newContainer(Gadget.self)
    context = ModelContext(container)
  }

  private func insert(_ model: String, maker: String = "Acme", code: String? = nil, width: Int) throws -> Gadget {
    let gadget = Gadget(model, maker: maker, code: code, size: .init(width: width, height: 1))
    context.insert(gadget)
    try context.save()
    return gadget
  }

  @Test func `inserting a unique value again updates the object that holds it`() throws {
    let first = try insert("A", code: "x", width: 1)
    let identifier = first.persistentModelID
    let second = try insert("B", code: "x", width: 2)
    #expect(second.persistentModelID == identifier)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Gadget>()).map(\.model) == ["B"])
  }

  @Test func `nil is not unique`() throws {
    _ = try insert("A", width: 1)
    _ = try insert("B", width: 2)
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 2)
  }

  @Test func `a compound constraint permits duplicates of single values`() throws {
    _ = try insert("A", width: 1)
    _ = try insert("A", maker: "Bolt", width: 2)
    _ = try insert("B", width: 3)
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 3)
    _ = try insert("A", code: "again", width: 4)
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 3)
  }

  @Test func `a unique structure is unique by all of its parts together`() throws {
    let first = try insert("A", width: 1)
    let other = Gadget("B", size: .init(width: 1, height: 2))
    context.insert(other)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 2)
    let third = Gadget("C", size: .init(width: 1, height: 2))
    context.insert(third)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 2)
    #expect(third.persistentModelID == other.persistentModelID)
    #expect(first.model == "A")
  }

  @Test func `an ephemeral value is tracked and not stored`() throws {
    let gadget = try insert("A", width: 1)
    gadget.isSelected = true
    #expect(context.hasChanges)
    #expect(gadget.isSelected)
    try context.save()
    #expect(gadget.isSelected)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Gadget>()).map(\.isSelected) == [false])
  }

  @Test func `a transient value is not tracked`() throws {
    let gadget = try insert("A", width: 1)
    gadget.note = "changed"
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Gadget>()).map(\.note) == ["none"])
  }

  @Test func `a codable value is read back as it was saved`() throws {
    let gadget = try insert("A", width: 1)
    gadget.sizes = [.init(width: 5, height: 6), .init(width: 7, height: 8)]
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Gadget>())[0].sizes == gadget.sizes)
  }

  @Test func `a preserved value is left in the history`() throws {
    let gadget = try insert("A", width: 1)
    gadget.serial = 77
    try context.save()
    context.delete(gadget)
    try context.save()
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    guard case .delete(let delete as DefaultHistoryDelete<Gadget>) = last.changes[0] else {
      Issue.record("no delete of a gadget")
      return
    }
    #expect(delete.tombstone[\.serial] as? Int == 77)
    #expect(delete.tombstone[\.maker] == nil)
  }

  @Test func `defaults are given to objects that were made without a value`() throws {
    _ = try insert("A", width: 1)
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Gadget>())
    #expect(found.map(\.colour) == [.green])
    #expect(found.map(\.serial) == [0])
    #expect(found.map(\.secret) == [""])
  }

  @Test func `a hash modifier changes the digest of the model, and rows are kept`() throws {
    let url = newStoreURL()
    let first = ModelContext(
      try ModelContainer(for: Unmodified.Item.self, configurations: ModelConfiguration(url: url)))
    first.insert(Unmodified.Item("a"))
    try first.save()
    let before = try PersistentStore.open(url.path).modelDigest
    let second = ModelContext(try ModelContainer(for: Modified.Item.self, configurations: ModelConfiguration(url: url)))
    #expect(try second.fetch(FetchDescriptor<Modified.Item>()).map(\.name) == ["a"])
    #expect(try PersistentStore.open(url.path).modelDigest != before)
  }
}

enum Unmodified {
  @Model final class Item {
    var name: String
    var owner: Owner?
    init(_ name: String) { self.name = name }
  }
  @Model final class Owner {
    var items: [Item] = []
    init() {}
  }
}

enum Modified {
  @Model final class Item {
    @Attribute(hashModifier: "second") var name: String
    var owner: Owner?
    init(_ name: String) { self.name = name }
  }
  @Model final class Owner {
    var items: [Item] = []
    init() {}
  }
}
