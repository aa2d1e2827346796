// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// Sort orders over properties of related objects that have unsaved changes.
@Suite(.everyStore) struct PendingOrderTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Song.self, Album.self, Label.self, Performer.self)
    context = ModelContext(container)
    let labels = ["one", "two"].map { Label($0) }
    let albums = ["b", "a", "c"].enumerated().map { Album($1, year: $0, label: $0 == 2 ? nil : labels[$0]) }
    for index in 0..<8 {
      let song = Song("\(index)", plays: index)
      context.insert(song)
      song.album = index % 4 == 3 ? nil : albums[index % 4]
    }
    try context.save()
  }

  /// The titles as the values in memory order them: nil first, and equal ones by key.
  private func expected(_ value: (Song) -> String?, isReversed: Bool = false) throws -> [String] {
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let keyed = songs.enumerated().map { (rank: value($1).map { "1" + $0 } ?? "0", position: $0, song: $1) }
    let sorted = keyed.sorted { left, right in
      left.rank == right.rank
        ? left.position < right.position : isReversed ? left.rank > right.rank : left.rank < right.rank
    }
    return sorted.map(\.song.title)
  }

  private func titles(_ order: SortDescriptor<Song>, offset: Int? = nil, limit: Int? = nil) throws -> [String] {
    var descriptor = FetchDescriptor<Song>(sortBy: [order])
    (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
    return try context.fetch(descriptor).map(\.title)
  }

  private func album(_ title: String) throws -> Album {
    try #require(try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == title })).first)
  }

  @Test func `unsaved values of related objects order the results`() throws {
    let saved = try titles(SortDescriptor(\.album?.title))
    try album("a").title = "zeta"
    let forward = try expected { $0.album?.title }
    #expect(forward != saved)
    #expect(try titles(SortDescriptor(\.album?.title)) == forward)
    let reversed = try expected({ $0.album?.title }, isReversed: true)
    #expect(try titles(SortDescriptor(\.album?.title, order: .reverse)) == reversed)
    #expect(try titles(SortDescriptor(\.album?.title, order: .reverse), limit: 1) == [reversed[0]])
    #expect(try titles(SortDescriptor(\.album?.title), offset: 3, limit: 2) == Array(forward[3..<5]))
    var enumerated: [String] = []
    try context.enumerate(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.album?.title)])) {
      enumerated.append($0.title)
    }
    #expect(enumerated == forward)
    var descriptor = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.album?.title)])
    descriptor.propertiesToFetch = [\.plays]
    #expect(try context.fetch(descriptor).map(\.title) == forward)
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) { try context.fetchIdentifiers(descriptor) }
    descriptor.fetchOffset = 3
    #expect(try context.fetchCount(descriptor) == 5)
    descriptor = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.album?.title)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == saved)
    try context.save()
    #expect(try titles(SortDescriptor(\.album?.title)) == forward)
  }

  @Test func `a condition on saved values alone stays with an order by unsaved ones`() throws {
    try album("a").title = "zeta"
    let descriptor = FetchDescriptor<Song>(
      predicate: #Predicate { $0.plays > 2 }, sortBy: [SortDescriptor(\.album?.title, order: .reverse)])
    let expected = try expected({ $0.album?.title }, isReversed: true).filter { $0 > "2" }
    #expect(try context.fetch(descriptor).map(\.title) == expected)
  }

  @Test func `the order follows two relationships, and objects that are to be deleted`() throws {
    try #require(try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)])).first).name = "zeta"
    #expect(try titles(SortDescriptor(\.album?.label?.name)) == expected { $0.album?.label?.name })
    context.delete(try album("c"))
    #expect(try titles(SortDescriptor(\.album?.title)) == expected { $0.album?.title })
    #expect(try titles(SortDescriptor(\.album?.label?.name)) == expected { $0.album?.label?.name })
  }

  @Test func `a forced unwrap of nil in an order is sorted as nil, saved or not`() throws {
    let order = SortDescriptor(\Song.album!.title)
    let saved = try expected { $0.album?.title }
    #expect(try titles(order) == saved)
    try album("a").title = "zeta"
    #expect(try titles(order) == expected { $0.album?.title })
    let ranks = try titles(SortDescriptor(\Song.rank!, order: .reverse))
    try context.fetch(FetchDescriptor<Song>())[5].rank = 1
    #expect(try titles(SortDescriptor(\Song.rank!, order: .reverse)) == ["5"] + ranks.filter { $0 != "5" })
  }

  @Test func `equal objects are in the order of their keys, also beside unsaved ones`() throws {
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.plays)]))
    for song in songs { song.plays = 8 - song.plays }
    try context.save()
    for song in songs { song.plays = 1 }
    let fetched = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.plays)]))
    #expect(fetched.map(\.persistentModelID) == songs.map(\.persistentModelID).sorted())
  }

  @Test @MainActor func `sections over a relationship follow unsaved changes`() throws {
    let observer = try ResultsObserver(sectionBy: \Song.album?.title, modelContext: context)
    #expect(observer.sections?.sectionTitles == ["", "a", "b", "c"])
    try album("a").title = "zeta"
    #expect(observer.sections?.sectionTitles == ["", "b", "c", "zeta"])
  }
}
