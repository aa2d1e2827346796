// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// Tokens of other places and times, and observers whose stores change under them.
@Suite(.overlapping, .temporaryDirectory) @MainActor struct ObserverInputTests {
  @Test func `a token of another store counts nothing before the next save`() async throws {
    let (container, other) = (try newContainer(Entry.self, Comment.self), try newContainer(Entry.self, Comment.self))
    for number in 1...3 { try write("\(number)", in: other) }
    try write("own", in: container)
    let foreign = try #require(
      try ModelContext(other).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let observer = try HistoryObserver(
      historyTokens: [foreign.storeIdentifier: foreign.token], modelContainer: container)
    #expect(observer.eventCounter == 0)
    try write("next", in: container)
    #expect(await waitUntil { observer.eventCounter == 1 })
    let token = foreign.token
    let later = try ModelContext(container).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(later.isEmpty)
  }

  @Test func `a token is the same after it was decoded twice, also in the form of earlier releases`() throws {
    let container = try newContainer(Entry.self, Comment.self)
    for number in 1...3 { try write("\(number)", in: container) }
    let context = ModelContext(container)
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var token = all[1].token
    for _ in 0..<2 {
      token = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
    }
    #expect(token == all[1].token)
    let earlier = Data(#"{"storeTokens":{"\#(all[1].storeIdentifier)":2}}"#.utf8)
    #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: earlier) == token)
    let after = token
    let later = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > after }))
    #expect(later.map(\.transactionIdentifier) == [3])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(#"{"token":2}"#.utf8))
    }
  }

  @Test(arguments: [true, false])
  func `observers outlive the deletion of everything in their container`(isInMemory: Bool) async throws {
    let configuration =
      isInMemory
      ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: newStoreURL())
    let container = try ModelContainer(for: Entry.self, Comment.self, configurations: configuration)
    try write("gone", in: container)
    let results = try ResultsObserver<Entry, Never>(modelContext: container.mainContext)
    let history = try HistoryObserver(modelContainer: container)
    #expect(results.results.map(\.title) == ["gone"])
    try container.erase()
    #expect(await waitUntil { history.eventCounter == 1 })
    #expect(results.results.isEmpty)
    try write("new", in: container)
    #expect(await waitUntil { history.eventCounter == 2 })
    #expect(results.results.map(\.title) == ["new"])
  }

  @Test func `observers live through a migration by another container`() async throws {
    let url = newStoreURL()
    let old = try makeLibrary(url)
    let results = try ResultsObserver<LibraryV1.Author, Never>(modelContext: old.mainContext)
    let history = try HistoryObserver(modelContainer: old)
    let names = Set(results.results.map(\.name))
    #expect(!names.isEmpty)
    let new = try library(LibraryV2.self, url, plan: LibraryPlan2.self)
    let context = ModelContext(new)
    context.insert(LibraryV2.Author("later"))
    try context.save()
    _ = await waitUntil(within: 2) { history.eventCounter > 0 }
    // The store has other models now: the results stay as they were, or are those of the store.
    #expect(names.isSubset(of: results.results.map(\.name)))
  }
}
