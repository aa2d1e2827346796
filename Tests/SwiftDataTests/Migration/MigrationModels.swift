// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport

/// A book library in the first version of a program.
enum LibraryV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    var name: String
    var pages: Int
    @Attribute(.externalStorage) var cover: Data?
    var author: Author?

    init(_ name: String, pages: Int, by author: Author? = nil) {
      self.name = name
      self.pages = pages
      self.author = author
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(_ name: String) { self.name = name }
  }
}

/// A new name, new properties, and a new entity.
enum LibraryV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Author.self, Book.self, Shop.self] }

  @Model final class Book {
    @Attribute(.spotlight, originalName: "name") var title: String
    var pages: Int
    var rating: Int = 3
    var subtitle: String?
    @Attribute(.externalStorage) var cover: Data?
    var author: Author?
    var shops: [Shop] = []

    init(_ title: String, pages: Int, by author: Author? = nil) {
      self.title = title
      self.pages = pages
      self.author = author
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Shop {
    var name: String
    @Relationship(inverse: \Book.shops) var books: [Book] = []

    init(_ name: String) { self.name = name }
  }
}

/// Titles become unique, a property and an entity go, and a value is worked out.
enum LibraryV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    @Attribute(.unique, .spotlight) var title: String
    var pages: Int
    var subtitle: String?
    var isLong: Bool = false
    @Attribute(.externalStorage) var cover: Data?
    var author: Author?

    init(_ title: String, pages: Int, by author: Author? = nil) {
      self.title = title
      self.pages = pages
      self.author = author
    }
  }

  @Model final class Author {
    @Attribute(originalName: "name") var fullName: String
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(_ fullName: String) { self.fullName = fullName }
  }
}

enum LibraryPlan: SchemaMigrationPlan {
  typealias Work = @Sendable (ModelContext) throws -> Void

  /// What a test does in the last stage, after the plan's own work.
  @TaskLocal private static var beforeLast: Work?
  @TaskLocal private static var afterLast: Work?

  /// Runs `body` with more work for the last stage.
  static func with<Result>(before: Work? = nil, after: Work? = nil, _ body: () throws -> Result) rethrows -> Result {
    try $beforeLast.withValue(before) { try $afterLast.withValue(after, operation: body) }
  }

  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self), last]
  }

  static let last = MigrationStage.custom(
    fromVersion: LibraryV2.self, toVersion: LibraryV3.self,
    willMigrate: { context in
      var titles: Set<String> = []
      for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) where !titles.insert(book.title).inserted {
        context.delete(book)
      }
      try context.save()
      try beforeLast?(context)
    },
    didMigrate: { context in
      context.author = "plan"
      for book in try context.fetch(FetchDescriptor<LibraryV3.Book>()) { book.isLong = book.pages > 500 }
      try context.save()
      try afterLast?(context)
    })
}

/// The plan as it was in the second version of the program.
enum LibraryPlan2: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)] }
}

/// A container of a version at a URL.
func library(
  _ version: any VersionedSchema.Type, _ url: URL, plan: (any SchemaMigrationPlan.Type)? = nil, allowsSave: Bool = true
) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(versionedSchema: version), migrationPlan: plan,
    configurations: [ModelConfiguration(url: url, allowsSave: allowsSave)])
}

/// A store of the first version: three books, two of them of one author.
@discardableResult
func makeLibrary(_ url: URL) throws -> ModelContainer {
  let container = try library(LibraryV1.self, url)
  let context = ModelContext(container)
  context.author = "first"
  let author = LibraryV1.Author("Leo Tolstoy")
  let peace = LibraryV1.Book("War and Peace", pages: 1_225, by: author)
  peace.cover = Data(repeating: 7, count: 200_000)
  context.insert(peace)
  context.insert(LibraryV1.Book("Family Happiness", pages: 120, by: author))
  try context.save()
  context.insert(LibraryV1.Book("Emma", pages: 474))
  try context.save()
  return container
}

/// The URL of a store in a new directory.
func newStoreURL() -> URL { URL(fileURLWithPath: TemporaryDirectory().file("shelf.store")) }

/// What an error says, where it is of that kind.
func explanation(of kind: SwiftDataError, _ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing was thrown"
  } catch let error as SwiftDataError {
    return error == kind ? error.explanation : "another kind: \(error)"
  } catch {
    return "another error: \(error)"
  }
}
