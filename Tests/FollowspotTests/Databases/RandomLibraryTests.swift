// SPDX-License-Identifier: MIT

import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Random databases whose relations are not declared: what each operation that compares rows and documents finds is compared
/// with plain SQL.
@Suite(.overlapping, .temporaryDirectory)
struct RandomLibraryTests {
  @Test(arguments: Rounds.seeds(4, full: 6, long: 500), [false, true])
  func `every comparison of a library follows references without indexes`(_ seed: Int, _ isAttached: Bool) throws {
    let database = try IndexedDatabase()
    var library = try RandomLibrary(seed: seed, database.writer)
    if isAttached { _ = try Attachment.attach(database.path) }
    try database.update()
    func expectRight(isIndexOnly: Bool, _ what: String) throws {
      for word in RandomLibrary.words {
        #expect(
          try database.hits(word, isIndexOnly: isIndexOnly) == library.records(word), "\(word) \(what), seed \(seed)")
      }
    }
    func expectEqual(_ what: String) throws {
      let verify = Verify(storePath: database.path, directory: database.index)
      for isQuick in [false, true] { #expect(try verify.run(isQuick: isQuick).isEqual, "\(what), seed \(seed)") }
      try expectRight(isIndexOnly: true, what)
    }
    try expectEqual("at first")
    for _ in 0..<5 { try library.step() }
    try expectRight(isIndexOnly: false, "after statements")
    try database.update()
    try expectEqual("after statements")
    try library.step()
    _ = try Verify(storePath: database.path, directory: database.index).repair()
    try expectRight(isIndexOnly: true, "after a repair")
    for change in ["VACUUM", "ALTER TABLE books ADD COLUMN shelf TEXT", "CREATE INDEX by_title ON books(title)"] {
      try database.writer.execute(change)
      // Some records may be missed until the pass, but the search answers.
      _ = try database.hits("amber")
      try database.update()
      try expectEqual("after \(change)")
    }
    if !isAttached {
      _ = try Attachment.attach(database.path)
      try database.update()
      try expectEqual("after it was attached")
    }
    _ = try Rebuild(storePath: database.path, directory: database.index).run()
    try expectEqual("after a rebuild")
  }
}
