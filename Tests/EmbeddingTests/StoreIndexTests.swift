// SPDX-License-Identifier: MIT

import Followspot
import SwiftData
import TestSupport
import Testing

/// One process that saves objects with SwiftData and searches them.
@Suite(.overlapping, .temporaryDirectory)
struct StoreIndexTests {
  @Test func `saved objects are found after an update, with the values of their rows`() async throws {
    let cinema = try Cinema()
    let pixar = Studio(name: "Pixar")
    let film = Film("Toy Story", year: 1995, tags: ["toys", "friends"], remark: "seen twice", studio: pixar)
    film.price = Decimal(string: "12345678901234567.89")
    film.released = Date(timeIntervalSinceReferenceDate: -161_000_000)
    try cinema.save(film, Film("Up", year: 2009))
    #expect(try await cinema.index.update() == 1)
    let answer = try await cinema.index.search("toys friends")
    #expect(answer.matches == 1)
    #expect(answer.token == 1)
    #expect(answer.lag == 0)
    #expect(answer.notes == [])
    try #require(answer.hits.count == 1)
    let hit = answer.hits[0]
    #expect(hit.id == film.persistentModelID.uriRepresentation)
    #expect(hit.entityName == "Film")
    #expect(hit.title == "Toy Story")
    #expect(hit.score > 0)
    #expect(!hit.isChanged)
    #expect(
      hit.fields == [
        "title": .text("Toy Story"), "year": .integer(1995), "tags": .texts(["toys", "friends"]),
        "remark": .text("seen twice"), "price": .decimal(film.price!), "released": .date(film.released!),
        "isSeen": .boolean(false),
      ])
    #expect(try await cinema.titles("year:2000..") == ["Up"])
  }

  @Test func `a hit's identifier leads to the object in the context`() async throws {
    let cinema = try Cinema()
    let saved = try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let hit = try #require(try await cinema.index.search("up").hits.first)
    #expect(try cinema.object(of: hit, as: Film.self) === saved[0])
    let other = ModelContext(cinema.container)
    let identifier = try #require(PersistentIdentifier(uriRepresentation: hit.id))
    #expect((other.model(for: identifier) as? Film)?.year == 2009)
    #expect(identifier == saved[0].persistentModelID)
    for text in ["", "Film/p1", "x-coredata://", "x-coredata:///Film", "x-coredata://A/Film/q1", "p1"] {
      #expect(PersistentIdentifier(uriRepresentation: text) == nil)
    }
  }

  @Test func `a search also covers changes since the last update`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Up", year: 2009), Film("Coco", year: 2017))
    try await cinema.index.update()
    films[0].year = 2010
    cinema.context.delete(films[1])
    try cinema.context.save()
    let answer = try await cinema.index.search("up OR coco")
    #expect(answer.hits.map(\.title) == ["Up"])
    #expect(answer.hits.first?.fields["year"] == .integer(2010))
    #expect(answer.hits.first?.isChanged == false)
    #expect(answer.token == 2)
    #expect(answer.lag == 0)
    #expect(answer.notes == ["no record has the word 'coco'"])
  }

  @Test func `an object that was deleted is not counted, even where the history of its delete is gone`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Up", year: 2009), Film("Coco", year: 2017))
    try await cinema.index.update()
    cinema.context.delete(films[0])
    try cinema.context.save()
    try cinema.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let answer = try await cinema.index.search("up")
    #expect(answer.hits.isEmpty)
    #expect(answer.matches == 0)
    #expect(try await cinema.index.search("up OR coco").matches == 1)
  }

  @Test func `the update removes the document of a deleted object`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Up", year: 2009), Film("Coco", year: 2017))
    try await cinema.index.update()
    try cinema.expectEqual(documents: 2)
    cinema.context.delete(films[0])
    try cinema.context.save()
    try await cinema.index.update()
    #expect(try await cinema.titles("*") == ["Coco"])
    try cinema.expectEqual(documents: 1)
  }

  @Test func `text of related objects is found, and updated when they change`() async throws {
    let definition = """
      {"entities": {"Film": {"title": "title", "fields": [
        {"name": "title", "roles": ["text"]}, {"name": "studio.name", "roles": ["text"]}]}}}
      """
    let cinema = try Cinema(definition: definition)
    let pixar = Studio(name: "Pixar")
    try cinema.save(Film("Up", year: 2009, studio: pixar), Film("Shrek", year: 2001))
    try await cinema.index.update()
    #expect(try await cinema.titles("studio.name:pixar") == ["Up"])
    pixar.name = "Emeryville"
    try cinema.film("Shrek").studio = pixar
    try cinema.context.save()
    try await cinema.index.update()
    #expect(try await cinema.titles("emeryville") == ["Shrek", "Up"])
    #expect(try await cinema.titles("pixar") == [])
    cinema.context.delete(pixar)
    try cinema.context.save()
    try await cinema.index.update()
    #expect(try await cinema.titles("emeryville") == [])
    try cinema.expectEqual(documents: 2)
  }

  @Test func `pages of hits form one list, and a limit of nil returns all hits`() async throws {
    let cinema = try Cinema()
    for number in 0..<45 { cinema.context.insert(Film("Film \(number)", year: 1990 + number)) }
    try cinema.context.save()
    try await cinema.index.update()
    var pages: [String] = []
    for offset in stride(from: 0, to: 60, by: 20) {
      pages += try await cinema.index.search("film", offset: offset).hits.map(\.title)
    }
    let all = try await cinema.index.search("film", limit: nil)
    #expect(pages == all.hits.map(\.title))
    #expect(pages.count == 45)
    #expect(all.matches == 45)
    #expect(try await cinema.index.search("film", kinds: ["Studio"]).hits.isEmpty)
    #expect(try await cinema.index.search("(film", isLiteral: true).matches == 45)
  }

  @Test func `a store that is migrated while it is open is searched with its new model`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    #expect(try await cinema.titles("up") == ["Up"])
    let container = try ModelContainer(
      for: Later.Film.self, Later.Studio.self, configurations: ModelConfiguration(url: cinema.store))
    let before = try await cinema.index.search("up")
    #expect(before.hits.first?.fields["remark"] == nil)
    let context = ModelContext(container)
    let film = try #require(try context.fetch(FetchDescriptor<Later.Film>()).first)
    film.summary = "A balloon"
    try context.save()
    try await cinema.index.update()
    let answer = try await cinema.index.search("balloon")
    #expect(answer.hits.map(\.title) == ["Up"])
    #expect(answer.hits.first?.fields["summary"] == .text("A balloon"))
  }

  @Test func `a rebuild replaces an index that cannot be read`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    try Data().write(to: cinema.index.directory.appending(path: "XAPIANDB"))
    let index = StoreIndex(of: cinema.store)
    let error = await #expect(throws: FollowspotError.self) { try await index.search("up") }
    #expect(error?.code == .indexCorrupt)
    #expect(error?.recovery == .rebuildIndex)
    try await index.rebuild()
    #expect(try await cinema.titles("up") == ["Up"])
    try cinema.expectEqual(documents: 1)
  }
}

/// The models of a newer version of the program.
enum Later {
  @Model final class Studio {
    @Attribute(.unique, .spotlight) var name: String
    @Relationship(inverse: \Film.studio) var films: [Film] = []

    init(name: String) { self.name = name }
  }

  @Model final class Film {
    @Attribute(.unique, .spotlight, .preserveValueOnDeletion) var title: String
    @Attribute(.spotlight) var tags: [String]
    @Attribute(.spotlight) var summary: String?
    var year: Int
    var price: Decimal?
    var released: Date?
    var isSeen = false
    var studio: Studio?

    init(_ title: String, year: Int) {
      self.title = title
      self.year = year
      tags = []
    }
  }
}
