// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// What a fetch descriptor asks for beside predicate and order.
@Suite(.everyStore) struct FetchTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Film.self)
    context = ModelContext(container)
    for year in 1...6 {
      let film = Film("Film \(year)", year: year, tags: ["t\(year)"], studio: Studio(name: "Studio \(year)"))
      film.cast = [Person(name: "A\(year)"), Person(name: "B\(year)")]
      context.insert(film)
    }
    try context.save()
  }

  private let byYear = [SortDescriptor(\Film.year)]

  @Test func `fetch limit and offset select a part of the results`() throws {
    var descriptor = FetchDescriptor<Film>(sortBy: byYear)
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.year) == [4, 5])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
    context.insert(Film("Film 0", year: 0))
    #expect(try context.fetch(descriptor).map(\.year) == [3, 4])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.year) == [4, 5])
  }

  @Test func `a limit of 0 selects nothing, and nil selects all`() throws {
    var descriptor = FetchDescriptor<Film>(sortBy: byYear)
    for isPending in [false, true] {
      if isPending { context.insert(Film("Film 0", year: 0)) }
      descriptor.fetchLimit = 0
      #expect(try context.fetch(descriptor).isEmpty)
      #expect(try context.fetchCount(descriptor) == 0)
      descriptor.fetchLimit = nil
      #expect(try context.fetchCount(descriptor) == (isPending ? 7 : 6))
    }
  }

  @Test func `objects are fetched by the texts of their identifiers, in their order`() throws {
    let films = try context.fetch(FetchDescriptor<Film>(sortBy: byYear))
    let studio = try #require(films[0].studio)
    let uris = [films[4], films[1], films[2]].map(\.persistentModelID.uriRepresentation)
    let other = ModelContext(container)
    let gone = try #require(try other.fetch(Film.self, uriRepresentations: [uris[1]]).first)
    other.delete(gone)
    try other.save()
    let wanted =
      uris + [studio.persistentModelID.uriRepresentation, "x-coredata://elsewhere/Film/p1", "no URI", uris[0]]
    #expect(try context.fetch(Film.self, uriRepresentations: wanted).map(\.year) == [5, 3, 5])
    #expect(try context.fetch(Studio.self, uriRepresentations: wanted) == [studio])
  }

  @Test func `unsaved changes are included by default`() throws {
    let films = try context.fetch(FetchDescriptor<Film>(sortBy: byYear))
    films[0].year = 100
    context.delete(films[1])
    context.insert(Film("New", year: 50))
    var descriptor = FetchDescriptor<Film>(predicate: #Predicate { $0.year >= 5 }, sortBy: byYear)
    #expect(try context.fetch(descriptor).map(\.year) == [5, 6, 50, 100])
    #expect(try context.fetchCount(descriptor) == 4)
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == ["Film 5", "Film 6"])
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
      try context.fetchIdentifiers(FetchDescriptor<Film>(sortBy: byYear))
    }
    #expect(try context.fetchIdentifiers(FetchDescriptor<Film>()).count == 6)
  }

  @Test func `unsaved changes of related objects count too`() throws {
    let studio = try #require(try context.fetch(FetchDescriptor<Studio>(sortBy: [SortDescriptor(\.name)])).first)
    studio.name = "Pixar"
    let found = try context.fetch(FetchDescriptor<Film>(predicate: #Predicate { $0.studio?.name == "Pixar" }))
    #expect(found.map(\.year) == [1])
  }

  @Test func `properties that were not fetched are read at the first access`() throws {
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Film>(sortBy: byYear)
    descriptor.propertiesToFetch = [\.title]
    let films = try other.fetch(descriptor)
    #expect(films.map(\.title) == (1...6).map { "Film \($0)" })
    #expect(films[2].year == 3)
    #expect(films[3].tags == ["t4"])
    #expect(films[4].studio?.name == "Studio 5")
    #expect(films[5].cast.map(\.name).sorted() == ["A6", "B6"])
    films[1].title = "Changed"
    #expect(films[1].year == 2)
    try other.save()
    let third = ModelContext(container)
    let saved = try third.fetch(FetchDescriptor<Film>(sortBy: byYear))
    #expect(saved[1].title == "Changed")
    #expect(saved[1].studio?.name == "Studio 2")
  }

  /// The rows are deleted behind the context's back: what it shows it had read before.
  @Test func `prefetched relationships are read with the objects`() throws {
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Film>(sortBy: byYear)
    descriptor.relationshipKeyPathsForPrefetching = [\.cast, \.studio]
    let films = try other.fetch(descriptor)
    try context.delete(model: Person.self)
    try context.delete(model: Studio.self)
    #expect(films.map { $0.cast.map(\.name).sorted() } == (1...6).map { ["A\($0)", "B\($0)"] })
    #expect(films.map { $0.studio?.name } == (1...6).map { "Studio \($0)" })
  }

  @Test func `only relationships can be prefetched`() throws {
    var descriptor = FetchDescriptor<Film>()
    descriptor.relationshipKeyPathsForPrefetching = [\.title]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
  }

  @Test @MainActor func `the main context saves by itself`() async throws {
    let main = container.mainContext
    #expect(main.autosaveEnabled)
    main.insert(Film("Auto", year: 99))
    let other = ModelContext(container)
    let descriptor = FetchDescriptor<Film>(predicate: #Predicate { $0.year == 99 })
    while try other.fetchCount(descriptor) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(!main.hasChanges)
  }
}
