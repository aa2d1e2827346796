// SPDX-License-Identifier: MIT

import SwiftData
import Testing

@Suite(.everyStore) struct SmokeTests {
  @Test func `objects are read back as they were saved`() throws {
    let container = try newContainer(Film.self)
    let context = ModelContext(container)
    let pixar = Studio(name: "Pixar", founded: 1986)
    let film = Film("Toy Story", year: 1995, tags: ["toys", "friends"], studio: pixar)
    film.place = Place(city: "Richmond", latitude: 37.9, longitude: nil)
    film.cast = [Person(name: "Tom Hanks"), Person(name: "Tim Allen")]
    context.insert(film)
    #expect(context.insertedModelsArray.count == 4)
    #expect(film.persistentModelID.isTemporary)
    try context.save()
    #expect(!film.persistentModelID.isTemporary)
    #expect(!context.hasChanges)

    let other = ModelContext(container)
    let films = try other.fetch(FetchDescriptor<Film>())
    try #require(films.count == 1)
    let found = films[0]
    #expect(found !== film)
    #expect(found == film)
    #expect(found.title == "Toy Story")
    #expect(found.year == 1995)
    #expect(found.tags == ["toys", "friends"])
    #expect(found.rating == .general)
    #expect(found.optionalRating == nil)
    #expect(found.score == 0.5)
    #expect(found.place == Place(city: "Richmond", latitude: 37.9, longitude: nil))
    #expect(found.studio?.name == "Pixar")
    #expect(found.studio?.films.map(\.title) == ["Toy Story"])
    #expect(found.cast.map(\.name).sorted() == ["Tim Allen", "Tom Hanks"])
    #expect(found.cast[0].films == [found])

    found.year = 1996
    found.cast.removeFirst()
    #expect(other.changedModelsArray.count == 2)
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Film>())[0].year == 1996)
    #expect(film.cast.count == 1)
    other.delete(found.studio!)
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 0)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 3)
    for transaction in history {
      for change in transaction.changes { print(transaction.token, change) }
    }
  }
}
