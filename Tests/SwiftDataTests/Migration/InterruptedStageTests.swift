import PersistentStore
import SQLite
import SwiftData
import TestSupport
import Testing

/// Stages that fail, or whose process dies.
@Suite(.timeLimit(.minutes(30)))
struct InterruptedStageTests {
  private struct Trouble: Error {}

  @Test(arguments: [false, true])
  func `a stage whose code throws leaves the store as it was before it, and is done again`(isAfter: Bool) throws {
    try withStoreURL { url in
      try makeShelf(url)
      _ = try shelf(ShelfV2.self, url, plan: ShelfPlan2.self)
      let before = try TableDump(url)
      let trouble: ShelfPlan.Work = { context in
        if isAfter {
          context.insert(ShelfV3.Book("Dracula", pages: 418))
        } else {
          context.insert(ShelfV2.Book("Dracula", pages: 418))
        }
        try context.save()
        throw Trouble()
      }
      #expect(throws: Trouble.self) {
        try ShelfPlan.with(before: isAfter ? nil : trouble, after: isAfter ? trouble : nil) {
          try shelf(ShelfV3.self, url, plan: ShelfPlan.self)
        }
      }
      #expect(try TableDump(url) == before)
      let context = ModelContext(try shelf(ShelfV3.self, url, plan: ShelfPlan.self))
      #expect(try context.fetchCount(FetchDescriptor<ShelfV3.Book>()) == 3)
    }
  }

  @Test func `stages before the one that fails are done once and for all`() throws {
    try withStoreURL { url in
      try makeShelf(url)
      #expect(throws: Trouble.self) {
        try ShelfPlan.with(before: { _ in throw Trouble() }) { try shelf(ShelfV3.self, url, plan: ShelfPlan.self) }
      }
      let store = try PersistentStore.open(url.path)
      #expect(store.versionIdentifiers == ["2.0.0"])
      #expect(store.model.entity(named: "Shop") != nil)
    }
  }

  @Test(arguments: [false, true])
  func `a process that dies in a stage leaves the store as it was before the stage`(isAfter: Bool) throws {
    try TemporaryDirectory.with { directory in
      let url = URL(fileURLWithPath: directory.file("shelf.store"))
      let first = ModelContext(try makeShelf(url))
      // More than SQLite keeps in its cache, so that the log holds parts of the stage before its end.
      for number in 0..<1_200 {
        first.insert(ShelfV1.Book("Book \(number) " + String(repeating: "x", count: 2_000), pages: number))
      }
      try first.save()
      _ = try shelf(ShelfV2.self, url, plan: ShelfPlan2.self)
      let before = try TableDump(url)
      let copy = URL(fileURLWithPath: directory.file("copy.store"))
      let work: ShelfPlan.Work = { context in
        if !isAfter {
          for book in try context.fetch(FetchDescriptor<ShelfV2.Book>()) { book.subtitle = book.title }
          try context.save()
        }
        // What a process that is killed here leaves on the disk.
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
      }
      _ = try ShelfPlan.with(before: isAfter ? nil : work, after: isAfter ? work : nil) {
        try shelf(ShelfV3.self, url, plan: ShelfPlan.self)
      }
      let left = try #require(FileManager.default.attributesOfItem(atPath: copy.path + "-wal")[.size] as? Int)
      #expect(left > 1_000_000)
      #expect(try TableDump(copy) == before)
      let context = ModelContext(try shelf(ShelfV3.self, copy, plan: ShelfPlan.self))
      #expect(try context.fetchCount(FetchDescriptor<ShelfV3.Book>()) == 1_203)
    }
  }

  @Test func `duplicates of what becomes unique are named, and nothing changes`() throws {
    try withStoreURL { url in
      let first = ModelContext(try makeShelf(url))
      first.insert(ShelfV1.Book("Emma", pages: 500))
      try first.save()
      let before = try TableDump(url)
      enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, UniqueNames.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: ShelfV1.self, toVersion: UniqueNames.self)] }
      }
      let words = words(of: .loadIssueModelContainer) { _ = try shelf(UniqueNames.self, url, plan: Plan.self) }
      #expect(
        words
          == "migrating \(url.path) from ShelfV1 1.0.0 to UniqueNames 2.0.0: two rows of Book have the same name, to "
          + "be unique from now on: 'Emma'; change or delete one of them first")
      #expect(try TableDump(url) == before)
    }
  }

  @Test func `two containers that open an old store at once migrate it once`() throws {
    try withStoreURL { url in
      try makeShelf(url)
      let results = Results()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        results.add(
          Result { ModelContext(try shelf(ShelfV3.self, url, plan: ShelfPlan.self)) }.flatMap { context in
            Result { try context.fetch(FetchDescriptor<ShelfV3.Book>()).filter(\.isLong).map(\.title) }
          })
      }
      #expect(try results.all.map { try $0.get() } == Array(repeating: ["War and Peace"], count: 4))
      let transactions = try PersistentStore.open(url.path).newest()
      #expect(transactions == 5)
    }
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

  @Test func `nobody else writes during a stage, and everybody reads the old models`() throws {
    try withStoreURL { url in
      try makeShelf(url)
      _ = try shelf(ShelfV2.self, url, plan: ShelfPlan2.self)
      let look: ShelfPlan.Work = { _ throws in
        let other = try PersistentStore.open(url.path, access: .readWrite, busyMilliseconds: 1)
        #expect(other.versionIdentifiers == ["2.0.0"])
        let shop = try #require(other.layout.entity(named: "Shop"))
        let error = #expect(throws: StoreError.self) { try Self.insert(other, shop) }
        #expect(error?.code == .busy)
      }
      _ = try ShelfPlan.with(after: look) { try shelf(ShelfV3.self, url, plan: ShelfPlan.self) }
    }
  }

  @Test func `a context of the models before is told to begin anew`() throws {
    try withStoreURL { url in
      let old = ModelContext(try makeShelf(url))
      let book = try old.fetch(FetchDescriptor<ShelfV1.Book>())[0]
      _ = try shelf(ShelfV3.self, url, plan: ShelfPlan.self)
      book.name = "Another"
      let saving = words(of: .loadIssueModelContainer) { try old.save() }
      #expect(saving.hasSuffix("make a new ModelContainer"), "\(saving)")
      let fetching = words(of: .loadIssueModelContainer) { _ = try old.fetch(FetchDescriptor<ShelfV1.Book>()) }
      #expect(fetching.hasSuffix("make a new ModelContainer"), "\(fetching)")
      #expect(old.hasChanges)
    }
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
