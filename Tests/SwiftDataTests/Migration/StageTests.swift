// SPDX-License-Identifier: MIT

import Store
import SwiftData
import TestSupport
import Testing

/// Stages of a migration plan that succeed.
@Suite(.overlapping, .temporaryDirectory)
struct StageTests {
  private let url = newStoreURL()

  @Test func `a lightweight stage renames, adds defaults and entities, and keeps the existing values`() throws {
    try makeLibrary(url)
    let context = ModelContext(try library(LibraryV2.self, url, plan: LibraryPlan2.self))
    let books = try context.fetch(FetchDescriptor<LibraryV2.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.title) == ["Family Happiness", "Emma", "War and Peace"])
    #expect(books.map(\.pages) == [120, 474, 1_225])
    #expect(books.map(\.rating) == [3, 3, 3])
    #expect(books.map(\.subtitle) == [nil, nil, nil])
    #expect(books.map { $0.author?.name } == ["Leo Tolstoy", nil, "Leo Tolstoy"])
    #expect(books.map { $0.cover?.count } == [nil, nil, 200_000])
    #expect(try context.fetchCount(FetchDescriptor<LibraryV2.Shop>()) == 0)
    books[0].shops = [LibraryV2.Shop("corner")]
    try context.save()
    #expect(try context.fetch(FetchDescriptor<LibraryV2.Shop>())[0].books == [books[0]])
  }

  @Test func `all stages run, one after the other, from the version of the store`() throws {
    try makeLibrary(url)
    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    let books = try context.fetch(FetchDescriptor<LibraryV3.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.title) == ["Family Happiness", "Emma", "War and Peace"])
    #expect(books.map(\.isLong) == [false, false, true])
    #expect(books.map { $0.author?.fullName } == ["Leo Tolstoy", nil, "Leo Tolstoy"])
    #expect(books[2].cover == Data(repeating: 7, count: 200_000))
    #expect(try TableDump(url).tables["ZSHOP"] == nil)
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  @Test func `a stage's code sees the old models before, the new ones after, and no others`() throws {
    try makeLibrary(url)
    _ = try LibraryPlan.with { context throws in
      #expect(try context.fetchCount(FetchDescriptor<LibraryV2.Book>()) == 3)
      #expect(context.container.schema.version == Schema.Version(2, 0, 0))
      #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<LibraryV1.Book>()) }
      #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) }
    } after: { context throws in
      #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) == 3)
      #expect(context.container.schema.version == Schema.Version(3, 0, 0))
      #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<LibraryV2.Book>()) }
    } _: {
      try library(LibraryV3.self, url, plan: LibraryPlan.self)
    }
  }

  @Test func `a stage's code can search and sort by text`() throws {
    try makeLibrary(url)
    _ = try LibraryPlan.with { context throws in
      let books = FetchDescriptor<LibraryV2.Book>(
        predicate: #Predicate { $0.title.localizedStandardContains("P") },
        sortBy: [SortDescriptor(\.title, comparator: .localizedStandard)])
      #expect(try context.fetch(books).map(\.title) == ["Family Happiness", "War and Peace"])
      try context.delete(model: LibraryV2.Book.self, where: #Predicate { $0.title.localizedStandardContains("emma") })
    } after: { context throws in
      let books = FetchDescriptor<LibraryV3.Book>(
        predicate: #Predicate { $0.title.contains("a") }, sortBy: [SortDescriptor(\.title, order: .reverse)])
      #expect(try context.fetch(books).map(\.title) == ["War and Peace", "Family Happiness"])
    } _: {
      try library(LibraryV3.self, url, plan: LibraryPlan.self)
    }
  }

  @Test func `unsaved changes of a stage's code are saved`() throws {
    try makeLibrary(url)
    let add: LibraryPlan.Work = { context in
      context.insert(LibraryV3.Book("Persuasion", pages: 249))
      #expect(context.hasChanges)
    }
    let container = try LibraryPlan.with(after: add) { try library(LibraryV3.self, url, plan: LibraryPlan.self) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LibraryV3.Book>()) == 4)
  }

  @Test func `a store of the newest version runs no stage`() throws {
    let complain: LibraryPlan.Work = { _ in Issue.record("a stage ran") }
    try LibraryPlan.with(before: complain) {
      _ = try library(LibraryV3.self, url, plan: LibraryPlan.self)
      let before = try TableDump(url)
      _ = try library(LibraryV3.self, url, plan: LibraryPlan.self)
      #expect(try TableDump(url) == before)
    }
    #expect(try PersistentStore.open(url.path).versionIdentifiers == ["3.0.0"])
  }

  @Test func `a migrated store runs no stage again`() throws {
    try makeLibrary(url)
    _ = try library(LibraryV3.self, url, plan: LibraryPlan.self)
    let before = try TableDump(url)
    _ = try library(LibraryV3.self, url, plan: LibraryPlan.self)
    #expect(try TableDump(url) == before)
  }

  @Test func `a custom stage can remove duplicates before a property becomes unique`() throws {
    let first = ModelContext(try makeLibrary(url))
    first.insert(LibraryV1.Book("Emma", pages: 500))
    try first.save()
    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    let titles = try context.fetch(FetchDescriptor<LibraryV3.Book>()).map(\.title)
    #expect(titles.sorted() == ["Emma", "Family Happiness", "War and Peace"])
  }

  @Test func `identifiers and history tokens stay valid`() throws {
    let first = ModelContext(try makeLibrary(url))
    let descriptor = FetchDescriptor<LibraryV1.Book>(sortBy: [SortDescriptor(\.pages)])
    let identifiers = try first.fetch(descriptor).map(\.persistentModelID)
    let token = try #require(first.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first).token
    let kept = try JSONEncoder().encode(token)

    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    let books = try context.fetch(FetchDescriptor<LibraryV3.Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(books.map(\.persistentModelID) == identifiers)
    let again = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let later = all.filter { $0.token > again }
    #expect(later.count == all.count - 1)
    let authors = all.map { $0.author?.prefix(32) }
    let migrator: Substring = "com.apple.coredata.schemamigrato"
    #expect(authors == ["first", "first", migrator, migrator, "plan"])
    let inserts = try #require(all.first).changes.compactMap { change -> SwiftData.PersistentIdentifier? in
      guard case .insert(let insert as DefaultHistoryInsert<LibraryV3.Book>) = change else { return nil }
      return insert.changedPersistentIdentifier
    }
    #expect(Set(inserts) == [identifiers[0], identifiers[2]])
    guard case .update(let update as DefaultHistoryUpdate<LibraryV3.Book>) = try #require(all.last?.changes.first)
    else {
      Issue.record("the last change is no update of a book")
      return
    }
    #expect(update.changedPersistentIdentifier == identifiers[2])
    #expect(update.updatedAttributes.map { $0 as AnyKeyPath } == [\LibraryV3.Book.isLong])
  }
}
