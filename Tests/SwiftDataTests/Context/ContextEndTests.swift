// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Objects whose context has gone.
@Suite(.everyStore) struct ContextEndTests {
  private func filled() throws -> ModelContainer {
    try newContainer([Song.self, Album.self, Label.self, Performer.self]) { context in
      let album = Album("Night", year: 1999, label: Label("Verve"))
      context.insert(album)
      let ana = Performer("Ana")
      for title in ["one", "two", "three"] {
        let song = Song(title, album: album)
        context.insert(song)
        song.performers = [ana]
      }
    }
  }

  /// The context and the container go when this returns.
  private func songs(_ descriptor: FetchDescriptor<Song> = FetchDescriptor(sortBy: [SortDescriptor(\.title)])) throws
    -> [Song]
  {
    try ModelContext(filled()).fetch(descriptor)
  }

  @Test func `a relationship is read after the context has gone`() throws {
    let songs = try songs()
    #expect(songs.allSatisfy { $0.modelContext == nil })
    let album = try #require(songs[0].album)
    #expect((album.title, album.year, album.label?.name) == ("Night", 1999, "Verve"))
    #expect(album.songs.map(\.title).sorted() == ["one", "three", "two"])
    #expect(songs[2].performers.map(\.name) == ["Ana"])
    #expect(songs[2].performers[0].songs.count == 3)
    #expect(songs[1].album === album)
    #expect(songs[0].album === album)
  }

  @Test func `a related object is read after the objects that led to it have gone`() throws {
    func album() throws -> Album { try #require(try songs()[0].album) }
    let album = try album()
    #expect(album.title == "Night")
    #expect(album.label?.name == "Verve")
    #expect(album.songs.count == 3)
  }

  @Test func `properties that were not fetched are read after the context has gone`() throws {
    var descriptor = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
    descriptor.propertiesToFetch = [\.title]
    let songs = try songs(descriptor)
    #expect(songs.map(\.title) == ["one", "three", "two"])
    #expect(songs.map(\.genre) == [.waltz, .waltz, .waltz])
    #expect(songs[1].album?.title == "Night")
  }

  @Test func `an object that was not read yet is read after the context has gone`() throws {
    let container = try filled()
    let identifier = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Album>())[0]
    let album = try #require(ModelContext(container).model(for: identifier) as? Album)
    #expect(album.title == "Night")
    #expect(album.songs.count == 3)
  }

  @Test func `what is read late is what others have saved`() throws {
    let container = try filled()
    let songs = try ModelContext(container).fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
    let other = ModelContext(container)
    let album = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    album.title = "Day"
    other.delete(try #require(album.songs.first { $0.title == "two" }))
    try other.save()
    #expect(songs[0].album?.title == "Day")
    #expect(songs[0].album?.songs.count == 2)
    #expect(songs[2].title == "two")
    #expect(songs[2].album?.title == "Day")
  }

  @Test func `objects that are left keep the container, and no longer than themselves`() throws {
    weak var container: ModelContainer?
    weak var album: Album?
    do {
      let songs: [Song]
      do {
        let made = try filled()
        container = made
        songs = try ModelContext(made).fetch(FetchDescriptor<Song>())
      }
      #expect(container != nil)
      let found = try #require(songs[0].album)
      album = found
      #expect(found.songs.flatMap(\.performers).map(\.name) == ["Ana", "Ana", "Ana"])
      songs[1].album = nil
      songs[1].album = found
    }
    #expect(album == nil)
    // A thread that watches the file may have it for a moment.
    #expect(eventually { container == nil })
  }

  @Test func `an object without a context is changed alone`() throws {
    let songs = try songs()
    let album = try #require(songs[0].album)
    songs[1].album = nil
    songs[1].title = "four"
    #expect(songs[1].album == nil)
    #expect(album.songs.count == 3)
    #expect(album.modelContext?.hasChanges == false)
  }

  @Test func `what was saved before the context ended is read`() throws {
    let container = try filled()
    func renewed() throws -> Song {
      let context = ModelContext(container)
      let song = try #require(try context.fetch(FetchDescriptor<Song>()).first)
      song.album = Album("New")
      song.performers.append(Performer("Bo"))
      try context.save()
      return song
    }
    let song = try renewed()
    #expect(song.album?.title == "New")
    #expect(song.performers.map(\.name).sorted() == ["Ana", "Bo"])
  }
}

/// A song whose context has gone.
private func newSong(_ change: (ModelContext, Song) throws -> Void) throws -> Song {
  let context = ModelContext(
    try ModelContainer(for: Song.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  let song = Song("one")
  context.insert(song)
  try change(context, song)
  return song
}

/// What is gone with a context.
@Suite(.overlapping) struct ContextEndStopTests {
  private func expectStop(_ result: ExitTest.Result?, _ property: String) {
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let message = "\(property) was not saved before its ModelContext ended: save it, or keep the ModelContext"
    #expect(errors.contains(message), "\(errors)")
  }

  @Test func `a related object that was never saved stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let song = try newSong { _, song in song.album = Album("Night") }
      _ = song.album
    }
    expectStop(result, "Song.album")
  }

  @Test func `the relationships of an object that was never saved stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let song = try newSong { _, song in song.performers = [Performer("Ana")] }
      _ = song.performers
    }
    expectStop(result, "Song.performers")
  }

  @Test func `a to-many relationship with unsaved changes stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let song = try newSong { context, song in
        try context.save()
        song.performers = [Performer("Ana")]
      }
      _ = song.performers
    }
    expectStop(result, "Song.performers")
  }
}
