// SPDX-License-Identifier: MIT

import Followspot
import Store
import SwiftData
import TestSupport
import Testing

@testable import SearchIndex

/// A search index of a store that goes through the stages of a plan.
@Suite(.temporaryDirectory) struct IndexFollowsTests {
  @Test func `an index follows a plan's stages and equals a rebuilt one`() throws {
    let url = newStoreURL()
    try makeLibrary(url)
    let directory = IndexDirectory(path: url.path + ".index")
    let indexer = Indexer(Indexer.Options(storePath: url.path, directory: directory))
    try catchUp(indexer)
    #expect(try hits("war", url, directory) == ["Book/p1"])

    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    context.insert(LibraryV3.Book("Cats of War", pages: 90))
    try context.save()
    try catchUp(indexer)
    #expect(try hits("war", url, directory) == ["Book/p1", "Book/p4"])
    #expect(try hits("tolstoy", url, directory) == ["Author/p1"])
    #expect(try Verify(storePath: url.path, directory: directory).run(isQuick: false).isEqual)
    let followed = try CanonicalDump(of: directory)
    _ = try Rebuild(storePath: url.path, directory: directory, keep: 0).run()
    #expect(try CanonicalDump(of: directory) == followed)
  }

  /// As a follower does: a pass that finds the store changed under it ends, and the next one goes on.
  private func catchUp(_ indexer: Indexer) throws {
    try indexer.catchUp()
    while try indexer.isOutdated() { try indexer.catchUp() }
  }

  private func hits(_ query: String, _ url: URL, _ directory: IndexDirectory) throws -> [String] {
    let found = try Searcher(storePath: url.path, directory: directory).search(SearchRequest(query: query))
    return found.hits.map { "\($0.entity.entity.name)/p\($0.identifier.key)" }.sorted()
  }
}
