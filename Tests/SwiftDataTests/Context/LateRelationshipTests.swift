// SPDX-License-Identifier: MIT

import SwiftData
import Testing

@Suite(.everyStore) struct LateRelationshipTests {
  @Test func `a relationship that is first read after another change is saved as it is left`() throws {
    let bench = try PredicateFixture(Song.self, Album.self, Label.self, Performer.self) { context in
      let song = Song("one")
      context.insert(song)
      song.performers = [Performer("Ana"), Performer("Bo")]
    }
    let song = try #require(try bench.context.fetch(FetchDescriptor<Song>()).first)
    song.title = "two"
    song.performers.removeAll { $0.name == "Ana" }
    try bench.context.save()
    let other = ModelContext(bench.container)
    let fresh = try #require(try other.fetch(FetchDescriptor<Song>()).first)
    #expect(fresh.title == "two")
    #expect(fresh.performers.map(\.name) == ["Bo"])
  }
}
