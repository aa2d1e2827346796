// SPDX-License-Identifier: MIT

import Store
import SwiftData
import TestSupport
import Testing

/// Stores that are opened with other models and without a plan.
@Suite(.temporaryDirectory) struct PlanlessTests {
  @Test func `changes that need no code are migrated automatically`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    let context = ModelContext(try library(LibraryV2.self, url))
    let books = try context.fetch(FetchDescriptor<LibraryV2.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.title) == ["Family Happiness", "Emma", "War and Peace"])
    #expect(books.map(\.rating) == [3, 3, 3])
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["2.0.0"])
  }

  /// One entity in two shapes, as two versions of a program have it.
  enum Before {
    @Model final class Item {
      var name: String
      var size: Int
      init(name: String, size: Int) {
        self.name = name
        self.size = size
      }
    }
  }
  enum OtherType {
    @Model final class Item {
      var name: Date
      var size: Int
      init() {
        name = .now
        size = 0
      }
    }
  }
  enum NoDefault {
    @Model final class Item {
      var name: String
      var size: Int
      var weight: Double
      init() {
        name = ""
        size = 0
        weight = 0
      }
    }
  }
  enum Unique {
    @Model final class Item {
      #Unique<Item>([\.name, \.size])
      var name: String
      var size: Int
      init() {
        name = ""
        size = 0
      }
    }
  }
  /// The same properties in another order, with other defaults.
  enum Reordered {
    @Model final class Item {
      var size: Int = 7
      var name: String = "none"
      init() {}
    }
  }
  enum Volatile {
    @Model final class Item {
      var id: UUID = UUID()
      var made: Date = Date.now
      var name: String = ""
      init() {}
    }
  }

  /// A store with two items of the same name and size.
  private func makeItems() throws -> URL {
    let url = newStoreURL()
    let context = ModelContext(try open(Before.Item.self, url))
    context.insert(Before.Item(name: "box", size: 1))
    context.insert(Before.Item(name: "box", size: 1))
    try context.save()
    return url
  }

  @discardableResult
  private func open(_ type: any PersistentModel.Type, _ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema([type]), configurations: [ModelConfiguration(url: url)])
  }

  @Test func `an impossible migration is an error that names the property and the reason, and changes nothing`() throws
  {
    let url = try makeItems()
    let before = try TableDump(url)
    let refusals: [(any PersistentModel.Type, String)] = [
      (OtherType.Item.self, "Item.name: string cannot become date by itself"),
      (NoDefault.Item.self, "Item.weight needs a default, or has to be optional: rows have no value"),
      (
        Unique.Item.self,
        "two rows of Item have the same name and size, to be unique from now on: 'box', '1'; "
          + "change or delete one of them first"
      ),
    ]
    for (type, reason) in refusals {
      let words = explanation(of: .loadIssueModelContainer) { try open(type, url) }
      #expect(words.hasPrefix("giving \(url.path) the models of the schema 1.0.0: \(reason)"), "\(words)")
      #expect(try TableDump(url) == before)
    }
  }

  @Test func `a new order of properties or new defaults need no migration`() throws {
    let url = try makeItems()
    let before = try TableDump(url)
    let context = ModelContext(try open(Reordered.Item.self, url))
    #expect(try context.fetch(FetchDescriptor<Reordered.Item>()).map(\.name) == ["box", "box"])
    #expect(try TableDump(url) == before)
    context.insert(Reordered.Item())
    try context.save()
    let found = try ModelContext(try open(Before.Item.self, url)).fetch(FetchDescriptor<Before.Item>()).last
    #expect(found?.name == "none")
    #expect(found?.size == 7)
  }

  @Test func `defaults are evaluated for each object, and changing defaults need no migration`() throws {
    let url = newStoreURL()
    let first = try open(Volatile.Item.self, url)
    let before = try TableDump(url)
    let context = ModelContext(try open(Volatile.Item.self, url))
    #expect(try TableDump(url) == before)
    for _ in 0..<3 { context.insert(Volatile.Item()) }
    try context.save()
    let items = try ModelContext(first).fetch(FetchDescriptor<Volatile.Item>())
    #expect(Set(items.map(\.id)).count == 3)
  }

  @Test func `a store of a higher version with other models is refused`() throws {
    let url = newStoreURL()
    _ = try library(LibraryV3.self, url)
    let words = explanation(of: .backwardMigration) { _ = try library(LibraryV2.self, url) }
    #expect(
      words == "\(url.path) was written by version 3.0.0 of its schema, and this one is 2.0.0: use a newer version of "
        + "the program")
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(for: LibraryV1.Book.self, configurations: ModelConfiguration(url: url))
    }
  }

  @Test func `a container of a list of classes opens a store of any version that contains them`() throws {
    let url = newStoreURL()
    _ = try library(LibraryV3.self, url)
    _ = try ModelContainer(for: LibraryV3.Book.self, configurations: ModelConfiguration(url: url))
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  @Test func `a read-only configuration opens a current store, and refuses one that needs a migration`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    let before = try TableDump(url)
    let words = explanation(of: .loadIssueModelContainer) { _ = try library(LibraryV2.self, url, allowsSave: false) }
    #expect(
      words == "\(url.path) holds other models than the schema, and a read-only configuration cannot migrate it: open "
        + "it once with one that allows saving")
    let context = ModelContext(try library(LibraryV1.self, url, allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<LibraryV1.Book>()) == 3)
    #expect(try TableDump(url) == before)
  }
}
