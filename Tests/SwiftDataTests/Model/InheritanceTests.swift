// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// Classes of models below one another, in one table.
@Suite(.everyStore) struct InheritanceTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Work.self, Novel.self, Graphic.self, Author.self)
    context = ModelContext(container)
  }

  private func fill() throws {
    let author = Author(name: "Ann")
    context.insert(Work(title: "Plain", author: author))
    context.insert(Novel(title: "Long", pages: 900, author: author))
    context.insert(Graphic(title: "Drawn", pages: 90, colours: 4))
    try context.save()
  }

  @Test func `objects of all levels are fetched as instances of their own classes`() throws {
    try fill()
    let other = ModelContext(container)
    let works = try other.fetch(FetchDescriptor<Work>(sortBy: [SortDescriptor(\.title)]))
    #expect(works.map(\.title) == ["Drawn", "Long", "Plain"])
    #expect(works.map { "\(type(of: $0))" } == ["Graphic", "Novel", "Work"])
    let drawn = try #require(works[0] as? Graphic)
    #expect((drawn.pages, drawn.colours, drawn.note) == (90, 4, "drawn"))
    #expect(drawn.persistentModelID.entityName == "Graphic")
    #expect(try other.fetch(FetchDescriptor<Novel>()).count == 2)
    #expect(try other.fetchCount(FetchDescriptor<Graphic>()) == 1)
  }

  @Test func `properties of every level are changed and observed`() throws {
    try fill()
    let drawn = try #require(try context.fetch(FetchDescriptor<Graphic>()).first)
    nonisolated(unsafe) var told = 0
    withObservationTracking {
      _ = (drawn.title, drawn.pages, drawn.colours)
    } onChange: {
      told += 1
    }
    drawn.title = "Redrawn"
    #expect(told == 1)
    drawn.pages = 91
    drawn.colours = 5
    #expect(drawn.hasChanges)
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Graphic>()).first)
    #expect((found.title, found.pages, found.colours) == ("Redrawn", 91, 5))
  }

  @Test func `a relationship to the upper class holds objects of the lower ones`() throws {
    try fill()
    let other = ModelContext(container)
    let author = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    #expect(author.works.map(\.title).sorted() == ["Long", "Plain"])
    #expect(author.works.contains { $0 is Novel })
  }

  @Test func `predicates can use inherited properties and distinguish classes`() throws {
    try fill()
    let long = try context.fetch(FetchDescriptor<Novel>(predicate: #Predicate { $0.pages > 100 && $0.title != "x" }))
    #expect(long.map(\.title) == ["Long"])
    let novels = try context.fetch(FetchDescriptor<Work>(predicate: #Predicate { $0 is Novel }))
    #expect(novels.map(\.title).sorted() == ["Drawn", "Long"])
  }

  @Test func `a batch delete can exclude subclasses`() throws {
    try fill()
    try context.delete(model: Novel.self, includeSubclasses: false)
    #expect(try context.fetch(FetchDescriptor<Work>()).map(\.title).sorted() == ["Drawn", "Plain"])
    try context.delete(model: Novel.self)
    #expect(try context.fetch(FetchDescriptor<Work>()).map(\.title) == ["Plain"])
  }

  @Test func `the history names the object's own class`() throws {
    try fill()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let names = history.flatMap(\.changes).map { change in
      switch change {
      case .insert(_ as DefaultHistoryInsert<Graphic>): "Graphic"
      case .insert(_ as DefaultHistoryInsert<Novel>): "Novel"
      case .insert(_ as DefaultHistoryInsert<Work>): "Work"
      default: "another"
      }
    }
    #expect(names.sorted() == ["Graphic", "Novel", "Work", "another"])
  }
}

@Model class Work {
  var title: String
  var author: Author?

  init(title: String, author: Author? = nil) {
    self.title = title
    self.author = author
  }
}

@Model class Novel: Work {
  var pages: Int = 1

  init(title: String, pages: Int, author: Author? = nil) {
    self.pages = pages
    super.init(title: title, author: author)
  }
}

@Model final class Graphic: Novel {
  var colours: Int
  var note = "plain"

  init(title: String, pages: Int, colours: Int) {
    self.colours = colours
    super.init(title: title, pages: pages)
    note = "drawn"
  }
}

@Model final class Author {
  var name: String
  @Relationship(inverse: \Work.author) var works: [Work] = []

  init(name: String) { self.name = name }
}
