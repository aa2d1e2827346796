// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// Objects are found by the titles of those to which they belong, without a definition.
@Suite(.overlapping, .temporaryDirectory)
struct RelatedSearchTests {
  @Test func `objects are found by what they belong to, and follow its changes`() throws {
    let directory = TemporaryDirectory()
    let store = URL(fileURLWithPath: directory.file("films.store"))
    let context = ModelContext(
      try ModelContainer(
        for: Artist.self, Album.self, Track.self, Mix.self, Lyrics.self, configurations: ModelConfiguration(url: store))
    )
    let artist = Artist("Led Zeppelin")
    let album = Album("Houses of the Holy", by: artist)
    let tracks = ["No Quarter", "The Ocean"].map { Track($0, on: album) }
    let mix = Mix("Rainy days")
    for track in tracks { context.insert(track) }
    context.insert(mix)
    mix.tracks = [tracks[0]]
    tracks[0].lyrics = Lyrics("close the door, put out the light")
    try context.save()
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    func found(_ query: String, _ options: String...) throws -> [String] {
      try shell.run(["search", query] + options).lines.map { line in
        line.split(separator: "\t").first.map { String($0.prefix { $0 != "/" }) } ?? ""
      }
    }
    // The artist, then the album, then its tracks and the mix with one of them.
    #expect(try found("zeppelin").prefix(2) == ["Artist", "Album"])
    #expect(try found("zeppelin").sorted() == ["Album", "Artist", "Track", "Track"])
    #expect(try found("artist:zeppelin").sorted() == ["Album", "Track", "Track"])
    // Many to many, from both sides; and one to one.
    #expect(try found("mixes:rainy") == ["Track"] && found("tracks:quarter") == ["Mix"])
    #expect(try found("door") == ["Track", "Lyrics"])
    artist.name = "The Yardbirds"
    mix.tracks = [tracks[1]]
    tracks[0].lyrics = nil
    try context.save()
    for _ in 0..<2 {
      #expect(try found("zeppelin") == [])
      #expect(try found("yardbirds track").prefix(2) == ["Track", "Track"])
      #expect(try shell.run("search", "mixes:rainy", "--fields", "title").output == "The Ocean\n")
      #expect(try found("door") == ["Lyrics"])
      #expect(try shell.run("index").code == 0)
    }
    #expect(try shell.run("verify").code == 0)
  }
}

@Model private final class Artist {
  var name: String
  @Relationship(inverse: \Album.artist) var albums: [Album] = []

  init(_ name: String) { self.name = name }
}

@Model private final class Album {
  var title: String
  var artist: Artist?
  @Relationship(inverse: \Track.album) var tracks: [Track] = []

  init(_ title: String, by artist: Artist) { (self.title, self.artist) = (title, artist) }
}

@Model private final class Track {
  var title: String
  var album: Album?
  @Relationship(inverse: \Mix.tracks) var mixes: [Mix] = []
  @Relationship(inverse: \Lyrics.track) var lyrics: Lyrics?

  init(_ title: String, on album: Album) { (self.title, self.album) = (title, album) }
}

@Model private final class Mix {
  var title: String
  var tracks: [Track] = []

  init(_ title: String) { self.title = title }
}

@Model private final class Lyrics {
  var text: String
  var track: Track?

  init(_ text: String) { self.text = text }
}
