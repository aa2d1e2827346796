// SPDX-License-Identifier: MIT

import FollowspotModels
import SwiftData
import TestSupport
import Testing

/// Searches that give objects.
@Suite(.overlapping, .temporaryDirectory)
struct ModelSearchTests {
  @Test func `the objects are those of the hits, in their order, and registered in the context`() async throws {
    let cinema = try Cinema()
    let pixar = Studio(name: "Robot studio")
    try cinema.save(
      Film("Robot", year: 2001, tags: ["robot"]), Film("Wall-E", year: 2008, tags: ["robot"], studio: pixar),
      Film("Up", year: 2009))
    try await cinema.index.update()
    let films = try await cinema.context.search(Film.self, "robot")
    let hits = try await cinema.index.search("robot", kinds: ["Film"]).hits
    #expect(films.count >= 2 && films.map(\.persistentModelID.uriRepresentation) == hits.map(\.id))
    #expect(films.first === (try cinema.film("Robot")))
    let studios = try await cinema.context.search(Studio.self, "robot")
    #expect(studios.map(\.name) == ["Robot studio"])
    var query = SearchQuery("*", in: Film.self)
    query.sort = [.init("year", descends: true)]
    #expect(query.kinds == ["Film"])
    let sorted = try await cinema.context.search(Film.self, query, in: cinema.index)
    #expect(sorted.map(\.year) == [2009, 2008, 2001])
    let literal = try await cinema.context.search(Film.self, "(robot", isLiteral: true, limit: 1)
    #expect(literal.count == 1)
  }

  @Test func `changes that are not saved are in the objects, and deleted ones are left out`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Up", year: 2009), Film("Coco", year: 2017), Film("Soul", year: 2020))
    try await cinema.index.update()
    films[0].year = 1
    cinema.context.delete(films[1])
    let found = try await cinema.context.search(Film.self, "up OR coco OR soul")
    #expect(found.map(\.title).sorted() == ["Soul", "Up"])
    #expect(found.first { $0.title == "Up" }?.year == 1)
  }

  @MainActor @Test func `a context of the main actor is searched on it`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let films = try await cinema.container.mainContext.search(Film.self, "up")
    #expect(films.map(\.title) == ["Up"])
  }

  @ModelActor actor Searcher {
    func years(_ text: String) async throws -> [Int] {
      try await modelContext.search(Film.self, text).map(\.year)
    }
  }

  @Test func `a context of a model actor is searched in it, and the task can be cancelled`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let searcher = Searcher(modelContainer: cinema.container)
    #expect(try await searcher.years("up") == [2009])
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await searcher.years("up")
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test func `hits keep their objects beside them`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009, studio: Studio(name: "Up studio")))
    try await cinema.index.update()
    let answer = try await cinema.index.search("up")
    let found = try cinema.context.fetch(Film.self, hits: answer.hits)
    #expect(found.map(\.hit.title) == ["Up"] && found.map(\.object.year) == [2009])
    #expect(try cinema.context.fetch(Film.self, hits: []).isEmpty)
  }

  @Test func `a store in memory and a class of no store are errors`() async throws {
    let container = try ModelContainer(for: Film.self, Studio.self, configurations: .init(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let error = await #expect(throws: FollowspotError.self) { _ = try await context.search(Film.self, "up") }
    #expect(error?.code == .usage)
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let missing = await #expect(throws: FollowspotError.self) { _ = try await cinema.context.search(Film.self, "up") }
    #expect(missing?.code == .indexMissing)
  }
}
