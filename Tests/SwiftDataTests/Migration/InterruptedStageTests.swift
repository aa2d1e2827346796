// SPDX-License-Identifier: MIT

import SQLite
import Store
import SwiftData
import TestSupport
import Testing

/// Stages that fail, or whose process dies.
@Suite(.overlapping, .temporaryDirectory)
struct InterruptedStageTests {
  private let directory = TemporaryDirectory()

  private struct Trouble: Error {}

  @Test(arguments: [false, true])
  func `a stage whose code throws changes nothing and runs again at the next opening`(isAfter: Bool) throws {
    let url = newStoreURL()
    try makeLibrary(url)
    _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    let before = try TableDump(url)
    let trouble: LibraryPlan.Work = { context in
      if isAfter {
        context.insert(LibraryV3.Book("Dracula", pages: 418))
      } else {
        context.insert(LibraryV2.Book("Dracula", pages: 418))
      }
      try context.save()
      throw Trouble()
    }
    #expect(throws: Trouble.self) {
      try LibraryPlan.with(before: isAfter ? nil : trouble, after: isAfter ? trouble : nil) {
        try library(LibraryV3.self, url, plan: LibraryPlan.self)
      }
    }
    #expect(try TableDump(url) == before)
    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) == 3)
  }

  @Test func `stages before the one that fails are not run again`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    let fail: LibraryPlan.Work = { _ in throw Trouble() }
    #expect(throws: Trouble.self) {
      try LibraryPlan.with(before: fail) {
        try library(LibraryV3.self, url, plan: LibraryPlan.self)
      }
    }
    let store = try PersistentStore.open(url.path)
    #expect(store.versionIdentifiers == ["2.0.0"])
    #expect(store.model.entity(named: "Shop") != nil)
  }

  @Test(arguments: [false, true])
  func `a process that dies in a stage leaves the store as it was before the stage`(isAfter: Bool) throws {
    let url = URL(fileURLWithPath: directory.file("shelf.store"))
    let first = ModelContext(try makeLibrary(url))
    // More than SQLite keeps in its cache, so that the log holds parts of the stage before its end.
    for number in 0..<1_200 {
      first.insert(LibraryV1.Book("Book \(number) " + String(repeating: "x", count: 2_000), pages: number))
    }
    try first.save()
    _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    let before = try TableDump(url)
    let copy = URL(fileURLWithPath: directory.file("copy.store"))
    let work: LibraryPlan.Work = { context in
      if !isAfter {
        for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) { book.subtitle = book.title }
        try context.save()
      }
      // What a process that is killed here leaves on the disk.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
      }
    }
    _ = try LibraryPlan.with(before: isAfter ? nil : work, after: isAfter ? work : nil) {
      try library(LibraryV3.self, url, plan: LibraryPlan.self)
    }
    let left = try #require(FileManager.default.attributesOfItem(atPath: copy.path + "-wal")[.size] as? Int)
    #expect(left > 1_000_000)
    #expect(try TableDump(copy) == before)
    let context = ModelContext(try library(LibraryV3.self, copy, plan: LibraryPlan.self))
    #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) == 1_203)
  }

  @Test func `duplicates of an attribute that becomes unique are named, and nothing changes`() throws {
    let url = newStoreURL()
    let first = ModelContext(try makeLibrary(url))
    first.insert(LibraryV1.Book("Emma", pages: 500))
    try first.save()
    let before = try TableDump(url)
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, UniqueNames.self] }
      static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: UniqueNames.self)] }
    }
    let words = explanation(of: .loadIssueModelContainer) { _ = try library(UniqueNames.self, url, plan: Plan.self) }
    #expect(
      words
        == "migrating \(url.path) from LibraryV1 1.0.0 to UniqueNames 2.0.0: two rows of Book have the same name, to "
        + "be unique from now on: 'Emma'; change or delete one of them first")
    #expect(try TableDump(url) == before)
  }

  @Test func `two containers that open an old store at once migrate it once`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    let results = Results()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      results.add(
        Result { ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self)) }.flatMap { context in
          Result { try context.fetch(FetchDescriptor<LibraryV3.Book>()).filter(\.isLong).map(\.title) }
        })
    }
    #expect(try results.all.map { try $0.get() } == Array(repeating: ["War and Peace"], count: 4))
    let transactions = try PersistentStore.open(url.path).newest()
    #expect(transactions == 5)
  }

  private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [Result<[String], any Error>] = []
    func add(_ result: Result<[String], any Error>) { lock.withLock { found.append(result) } }
    var all: [Result<[String], any Error>] { lock.withLock { found } }
  }

  @Sendable private static func insert(_ store: PersistentStore, _ shop: EntityLayout) throws {
    try store.save { _ = try $0.insert(shop, [.text("corner")]) }
  }

  @Test func `during a stage no other connection can write, and all readers see the old models`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    let look: LibraryPlan.Work = { _ throws in
      let other = try PersistentStore.open(url.path, access: .readWrite, busyMilliseconds: 1)
      #expect(other.versionIdentifiers == ["2.0.0"])
      let shop = try #require(other.layout.entity(named: "Shop"))
      let error = #expect(throws: StoreError.self) { try Self.insert(other, shop) }
      #expect(error?.code == .busy)
    }
    _ = try LibraryPlan.with(after: look) { try library(LibraryV3.self, url, plan: LibraryPlan.self) }
  }

  @Test func `a context of the older models throws an error that asks for a new container`() throws {
    let url = newStoreURL()
    let old = ModelContext(try makeLibrary(url))
    let book = try old.fetch(FetchDescriptor<LibraryV1.Book>())[0]
    _ = try library(LibraryV3.self, url, plan: LibraryPlan.self)
    book.name = "Another"
    let saving = explanation(of: .loadIssueModelContainer) { try old.save() }
    #expect(saving.hasSuffix("make a new ModelContainer"), "\(saving)")
    let fetching = explanation(of: .loadIssueModelContainer) { _ = try old.fetch(FetchDescriptor<LibraryV1.Book>()) }
    #expect(fetching.hasSuffix("make a new ModelContainer"), "\(fetching)")
    #expect(old.hasChanges)
  }
}

/// The first version, with names that are unique.
enum UniqueNames: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    @Attribute(.unique) var name: String
    var pages: Int
    @Attribute(.externalStorage) var cover: Data?
    var author: Author?

    init(_ name: String, pages: Int) {
      self.name = name
      self.pages = pages
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(_ name: String) { self.name = name }
  }
}
