// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Identifiers that name no row of their class.
@Suite(.everyStore, .overlapping) struct MissingRowTests {
  /// The identifier of the row of another one, with another entity or key.
  static func forged(_ identifier: PersistentIdentifier, entity: String, key: String? = nil) -> PersistentIdentifier? {
    let parts = identifier.uriRepresentation.split(separator: "/")
    return PersistentIdentifier(uriRepresentation: "x-coredata://\(parts[1])/\(entity)/\(key ?? String(parts[3]))")
  }

  @Test func `a row of a subclass is not a row of its superclass alone`() throws {
    let container = try newContainer(Work.self, Novel.self, Graphic.self, Author.self)
    let writer = ModelContext(container)
    let novel = Novel(title: "Long", pages: 900)
    let author = Author(name: "Ann")
    writer.insert(novel)
    writer.insert(author)
    try writer.save()
    let identifier = try #require(Self.forged(novel.persistentModelID, entity: "Work"))
    let context = ModelContext(container)
    let work = try #require(context.model(for: identifier) as? Work)
    context.delete(work)
    #expect(!context.hasChanges)
    let found = try context.fetch(FetchDescriptor<Work>())
    #expect(found.map(\.title) == ["Long"])
    #expect(found[0] is Novel)
  }
}

/// Reads of objects without a row.
@Suite(.overlapping) struct MissingRowStopTests {
  private func expectStop(_ result: ExitTest.Result?, _ words: String) {
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains(words), "\(errors)")
  }

  @Test func `reading an object whose row was deleted stops the program, and says so`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let container = try newContainer([Song.self, Album.self, Label.self, Performer.self]) { $0.insert(Song("one")) }
      let context = ModelContext(container)
      let song = try #require(try ModelContext(container).fetch(FetchDescriptor<Song>()).first)
      let identifier = try #require(
        MissingRowTests.forged(song.persistentModelID, entity: "Song", key: "p999"))
      _ = (context.model(for: identifier) as? Song)?.title
    }
    expectStop(result, "Song.title cannot be read: x-coredata://")
    expectStop(result, "/Song/p999 has no row any more, because it was deleted")
  }

  @Test func `reading a row of a subclass as one of its superclass stops the program, and says so`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let container = try newContainer([Work.self, Novel.self, Graphic.self, Author.self]) {
        $0.insert(Novel(title: "Long", pages: 900))
      }
      let novel = try #require(try ModelContext(container).fetch(FetchDescriptor<Novel>()).first)
      let identifier = try #require(MissingRowTests.forged(novel.persistentModelID, entity: "Work"))
      _ = (ModelContext(container).model(for: identifier) as? Work)?.title
    }
    expectStop(result, "/Work/p1 has no row any more, because it was deleted")
  }
}
