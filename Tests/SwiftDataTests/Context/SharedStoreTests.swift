// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// Contexts that share a store.
@Suite(.everyStore) struct SharedStoreTests {
  let container: ModelContainer
  let left: ModelContext
  let right: ModelContext

  init() throws {
    container = try newContainer(Film.self)
    left = ModelContext(container)
    right = ModelContext(container)
  }

  private func shared() throws -> (Film, Film) {
    let film = Film("Up", year: 2009)
    left.insert(film)
    try left.save()
    return (film, try #require(try right.fetch(FetchDescriptor<Film>()).first))
  }

  @Test func `saves of another context update only unchanged properties of an object`() throws {
    let (ours, theirs) = try shared()
    theirs.title = "Down"
    ours.title = "Upwards"
    theirs.year = 2010
    try right.save()
    _ = try left.fetch(FetchDescriptor<Film>())
    #expect((ours.title, ours.year) == ("Upwards", 2010))
    try left.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Film>())[0]
    #expect((found.title, found.year) == ("Upwards", 2010))
  }

  @Test func `if two contexts save one property, the later save wins`() throws {
    let (ours, theirs) = try shared()
    ours.title = "Left"
    theirs.title = "Right"
    theirs.year = 1
    try right.save()
    try left.save()
    #expect((ours.title, ours.year) == ("Left", 1))
    #expect(try right.fetch(FetchDescriptor<Film>())[0].title == "Left")
    #expect(theirs.title == "Left")
  }

  @Test func `an object that another context deleted stays deleted`() throws {
    let (ours, theirs) = try shared()
    ours.title = "Left"
    right.delete(theirs)
    try right.save()
    try left.save()
    #expect(ours.modelContext == nil)
    #expect(!left.hasChanges)
    #expect(try left.fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `objects that both contexts add to a relationship are all kept`() throws {
    let (ours, theirs) = try shared()
    _ = (ours.cast, theirs.cast)
    ours.cast.append(Person(name: "A"))
    theirs.cast.append(Person(name: "B"))
    try right.save()
    try left.save()
    let third = ModelContext(container)
    let found = try third.fetch(FetchDescriptor<Film>())[0]
    #expect(found.cast.map(\.name).sorted() == ["A", "B"])
    #expect(try left.fetch(FetchDescriptor<Film>())[0].cast.count == 2)
  }

  @Test func `observers of an object are notified of another context's save`() throws {
    let (ours, theirs) = try shared()
    nonisolated(unsafe) var told = 0
    withObservationTracking {
      _ = ours.title
    } onChange: {
      told += 1
    }
    theirs.title = "Down"
    try right.save()
    #expect(told == 0)
    left.processPendingChanges()
    #expect(told == 1)
    #expect(ours.title == "Down")
  }

  @Test func `a relationship that was read includes objects that another context adds`() throws {
    let studio = Studio(name: "Pixar")
    left.insert(studio)
    try left.save()
    #expect(studio.films.isEmpty)
    let same = try right.fetch(FetchDescriptor<Studio>())[0]
    right.insert(Film("Up", year: 2009, studio: same))
    try right.save()
    left.processPendingChanges()
    #expect(studio.films.map(\.title) == ["Up"])
  }
}
