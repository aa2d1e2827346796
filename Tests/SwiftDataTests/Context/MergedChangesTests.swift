// SPDX-License-Identifier: MIT

import Testing

@testable import SwiftData

/// What other contexts saved of the objects that a context holds.
@Suite(.everyStore) struct MergedChangesTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer([Song.self, Album.self, Label.self, Performer.self]) { context in
      for index in 0..<100 { context.insert(Song("\(index)", album: index < 40 ? Album("\(index)") : nil)) }
    }
    context = ModelContext(container)
  }

  /// Changes all songs and albums elsewhere, and deletes those whose title ends with 7.
  private func changeElsewhere() throws {
    let other = ModelContext(container)
    for song in try other.fetch(FetchDescriptor<Song>()) {
      if song.title.hasSuffix("7") { other.delete(song) } else { song.plays += 1 }
    }
    for album in try other.fetch(FetchDescriptor<Album>()) {
      if album.title.hasSuffix("7") { other.delete(album) } else { album.year = 9 }
    }
    try other.save()
  }

  @Test func `held objects are read with one statement for each class`() throws {
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.persistentModelID)]))
    songs[1].title = "mine"
    try changeElsewhere()
    let count = try StatementCount(in: context)
    context.processPendingChanges()
    #expect(count.value < 30)
    let before = count.value
    for (index, song) in songs.enumerated() {
      let isGone = index % 10 == 7
      #expect(song.plays == (isGone ? 0 : 1))
      #expect(song.title == (index == 1 ? "mine" : "\(index)"))
      #expect((song.modelContext == nil) == isGone)
    }
    for (index, album) in albums.enumerated() {
      #expect(album.year == (album.title.hasSuffix("7") ? nil : 9), "\(index)")
    }
    #expect(count.value == before)
    #expect(try context.fetchCount(FetchDescriptor<Song>()) == 90)
  }

  @Test func `observers of held objects are notified of others' values`() throws {
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.persistentModelID)]))
    nonisolated(unsafe) var isTold = false
    withObservationTracking {
      _ = songs[3].plays
    } onChange: {
      isTold = true
    }
    try changeElsewhere()
    context.processPendingChanges()
    #expect(isTold)
  }
}
