// SPDX-License-Identifier: MIT

import Store
import SwiftData
import TestSupport
import Testing

/// Which version a store is taken for.
@Suite(.temporaryDirectory) struct VersionTests {
  private let url = newStoreURL()

  private let directory = TemporaryDirectory()

  @Test func `a store remembers the version of its schema`() throws {
    _ = try library(LibraryV2.self, url)
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["2.0.0"])
    let model = try PersistentStore.open(url.path).model
    #expect(model.entities.map(\.name).sorted() == ["Author", "Book", "Shop"])
  }

  @Test func `a new store of a plan has the version of the container's schema`() throws {
    let types = Schema([LibraryV3.Book.self, LibraryV3.Author.self])
    _ = try ModelContainer(for: types, migrationPlan: LibraryPlan.self, configurations: [ModelConfiguration(url: url)])
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  @Test func `the version of a store with a wrong version mark is determined by its models`() throws {
    // Before the program had versions, with the models of what became its second one.
    _ = try ModelContainer(for: Schema([LibraryV2.Book.self]), configurations: [ModelConfiguration(url: url)])
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["1.0.0"])
    let words = try migrations(url) { _ = try library(LibraryV3.self, url, plan: LibraryPlan.self) }
    #expect(words == 1)
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  /// How many migrations the history tells of.
  private func migrations(_ url: URL, _ body: () throws -> Void) throws -> Int {
    let before = try PersistentStore.open(url.path).newest()
    try body()
    return Int(try PersistentStore.open(url.path).newest() - before)
  }

  @Test func `the newest version is marked on a store that has its models`() throws {
    _ = try ModelContainer(for: Schema([LibraryV3.Book.self]), configurations: [ModelConfiguration(url: url)])
    let count = try migrations(url) { _ = try library(LibraryV3.self, url, plan: LibraryPlan.self) }
    #expect(count == 0)
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  @Test func `the recorded version decides between versions with the same models, and their custom stages run once`()
    throws
  {
    let context = ModelContext(try library(Metres.self, url, plan: LengthPlan.self))
    context.insert(Metres.Road("A1", length: 2))
    try context.save()
    for _ in 0..<2 {
      let now = ModelContext(try library(Kilometres.self, url, plan: LengthPlan.self))
      #expect(try now.fetch(FetchDescriptor<Kilometres.Road>()).map(\.length) == [0.002])
    }
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["1.1.0"])
    #expect(throws: SwiftDataError.backwardMigration) { try library(Metres.self, url, plan: LengthPlan.self) }
    #expect(throws: SwiftDataError.backwardMigration) { try library(Metres.self, url) }
  }

  @Test func `a version whose models were edited may add to the store`() throws {
    try makeLibrary(url)
    try mark(url, "2.0.0")
    let context = ModelContext(try library(LibraryV2.self, url, plan: LibraryPlan2.self))
    #expect(try context.fetch(FetchDescriptor<LibraryV2.Book>()).map(\.rating) == [3, 3, 3])
  }

  @Test func `a version whose models were edited cannot remove anything`() throws {
    _ = try library(LibraryV2.self, url)
    try mark(url, "3.0.0")
    let before = try TableDump(url)
    let words = explanation(of: .unknownDataStoreSchema) { _ = try library(LibraryV3.self, url, plan: NewestPlan.self) }
    #expect(
      words
        == "\(url.path) is marked as that of LibraryV3 3.0.0, which lacks what is in it: Shop, Book.rating, Book.shops; "
        + "put the models that made it into NewestPlan as a version of their own")
    #expect(try TableDump(url) == before)
  }

  private func mark(_ url: URL, _ version: String) throws {
    try PersistentStore.open(url.path, access: .readWrite).rename(versionIdentifiers: [version])
  }

  private enum NewestPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV3.self] }
    static var stages: [MigrationStage] { [] }
  }

  @Test func `a store that is newer than the plan is refused`() throws {
    _ = try library(LibraryV3.self, url)
    let words = explanation(of: .backwardMigration) { _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self) }
    #expect(
      words
        == "\(url.path) was written by version 3.0.0 of its schema, and the container's schema is that of LibraryV2 "
        + "2.0.0: use a newer version of the program")
  }

  @Test func `a store that is newer than the container's schema, but not than the plan, is refused with that version`()
    throws
  {
    _ = try library(LibraryV3.self, url)
    let words = explanation(of: .backwardMigration) { _ = try library(LibraryV2.self, url, plan: LibraryPlan.self) }
    #expect(
      words
        == "\(url.path) was written by version 3.0.0 of its schema, and the container's schema is that of LibraryV2 "
        + "2.0.0: open it with the models of version 3.0.0 or a newer one")
  }

  @Test func `a store that matches none of the plan's versions is refused with advice`() throws {
    _ = try ModelContainer(for: Poster.self, configurations: ModelConfiguration(url: url))
    try mark(url, "0.9.0")
    let words = explanation(of: .unknownDataStoreSchema) {
      _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    }
    #expect(
      words
        == "\(url.path) (marked as version 0.9.0; its entities: Poster) holds the models of none of the versions "
        + "of LibraryPlan2, which are LibraryV1 1.0.0, LibraryV2 2.0.0: add the version that made it; LibraryV1 1.0.0 is "
        + "most like it: the store lacks Author, Book; the version lacks Poster")
  }

  @Test func `the differences from the version that is most like a store are named`() throws {
    _ = try ModelContainer(
      for: Schema([EditedBook.Book.self, EditedBook.Shop.self, EditedBook.Author.self]),
      configurations: [ModelConfiguration(url: url)])
    try mark(url, "0.9.0")
    let words = explanation(of: .unknownDataStoreSchema) {
      _ = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    }
    #expect(
      words.hasSuffix(
        "; LibraryV2 2.0.0 is most like it: the store lacks Author.books, Book.author, Book.cover, "
          + "Book.shops, Shop.books; the "
          + "version lacks Book.shelf; the two differ in Book.pages, Book.title"), "\(words)")
  }

  /// An edited second version.
  enum EditedBook {
    @Model final class Author {
      var name: String
      init() { name = "" }
    }

    @Model final class Shop {
      var name: String
      init() { name = "" }
    }

    @Model final class Book {
      var title: String
      var pages: Int?
      var rating: Int
      var shelf: String
      var subtitle: String?

      init() { (title, pages, rating, shelf) = ("", 0, 0, "") }
    }
  }

  // MARK: Plans that contradict themselves

  private enum Backward: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV2.self, LibraryV1.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)] }
  }

  private enum Gap: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)] }
  }

  private enum Empty: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [] }
    static var stages: [MigrationStage] { [] }
  }

  @Test func `versions that do not ascend are refused`() throws {
    let words = explanation(of: .loadIssueModelContainer) { _ = try library(LibraryV2.self, url, plan: Backward.self) }
    #expect(
      words == "Backward lists LibraryV1 1.0.0 after LibraryV2 2.0.0: list the versions oldest first, and give each a "
        + "higher versionIdentifier than the one before")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `a plan without a stage for the store's version is refused, and names it`() throws {
    _ = try library(LibraryV2.self, url)
    let before = try TableDump(url)
    let words = explanation(of: .loadIssueModelContainer) { _ = try library(LibraryV3.self, url, plan: Gap.self) }
    #expect(
      words
        == "Gap has no stage that leads from LibraryV2 2.0.0 towards LibraryV3 3.0.0: add .lightweight or .custom from "
        + "that to LibraryV3 3.0.0")
    #expect(try TableDump(url) == before)
  }

  @Test func `a schema that is not a version of the plan is refused`() throws {
    let words = explanation(of: .unknownSchema) { _ = try library(LibraryV3.self, url, plan: LibraryPlan2.self) }
    #expect(
      words == "the container's schema (Author, Book) is none of the versions of LibraryPlan2: open it with the models "
        + "of the newest one, LibraryV2")
    #expect(throws: SwiftDataError.unknownSchema) { try library(LibraryV3.self, url, plan: Empty.self) }
  }

  @Test func `a stage can skip a version`() throws {
    enum Direct: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, UniqueNames.self] }
      static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: UniqueNames.self)] }
    }
    let url = newStoreURL()
    try makeLibrary(url)
    let context = ModelContext(try library(UniqueNames.self, url, plan: Direct.self))
    #expect(try context.fetchCount(FetchDescriptor<UniqueNames.Book>()) == 3)
  }

  // MARK: Several stores

  @Test func `each store of a container runs the stages with its own entities of the versions`() throws {
    let urls = ["left", "right"].map { URL(fileURLWithPath: directory.file($0 + ".store")) }
    func container(_ roads: any PersistentModel.Type, _ tags: any PersistentModel.Type) throws -> ModelContainer {
      try ModelContainer(
        for: Schema([roads, tags]), migrationPlan: PartsPlan.self,
        configurations: [
          ModelConfiguration("left", schema: Schema([roads]), url: urls[0]),
          ModelConfiguration("right", schema: Schema([tags]), url: urls[1]),
        ])
    }
    let old = ModelContext(try container(PartsV1.Road.self, PartsV1.Sign.self))
    old.insert(PartsV1.Road("A1"))
    old.insert(PartsV1.Sign("Stop"))
    try old.save()
    let new = ModelContext(try container(PartsV2.Road.self, PartsV2.Sign.self))
    #expect(try new.fetch(FetchDescriptor<PartsV2.Road>()).map(\.title) == ["A1"])
    #expect(try new.fetch(FetchDescriptor<PartsV2.Sign>()).map(\.lanes) == [1])
    #expect(try urls.map { try PersistentStore.open($0.path).versionIdentifiers } == [["2.0.0"], ["2.0.0"]])
    #expect(try urls.map { try PersistentStore.open($0.path).model.entities.map(\.name) } == [["Road"], ["Sign"]])
  }
}

enum Metres: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Road.self] }

  @Model final class Road {
    var name: String
    var length: Double

    init(_ name: String, length: Double) {
      self.name = name
      self.length = length
    }
  }
}

enum Kilometres: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
  static var models: [any PersistentModel.Type] { [Road.self] }

  @Model final class Road {
    var name: String
    var length: Double

    init(_ name: String, length: Double) {
      self.name = name
      self.length = length
    }
  }
}

private enum LengthPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Metres.self, Kilometres.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Metres.self, toVersion: Kilometres.self, willMigrate: nil,
        didMigrate: { context in
          for road in try context.fetch(FetchDescriptor<Kilometres.Road>()) { road.length /= 1_000 }
        })
    ]
  }
}

enum PartsV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Road.self, Sign.self] }

  @Model final class Road {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Sign {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

enum PartsV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Road.self, Sign.self] }

  @Model final class Road {
    @Attribute(originalName: "name") var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class Sign {
    var text: String
    var lanes: Int = 1
    init(_ text: String) { self.text = text }
  }
}

private enum PartsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PartsV1.self, PartsV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: PartsV1.self, toVersion: PartsV2.self)] }
}
