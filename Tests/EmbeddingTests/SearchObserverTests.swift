// SPDX-License-Identifier: MIT

import FollowspotModels
import Foundation
import SwiftData
import TestSupport
import Testing

/// The objects of a search that are kept up to date.
@Suite(.overlapping, .temporaryDirectory)
@MainActor struct SearchObserverTests {
  @Test func `saves of contexts and of other processes change the results`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Robot A", year: 2001), Film("Garden", year: 2002))
    try await cinema.index.update()
    let observer = SearchObserver<Film>("robot", in: cinema.index, modelContext: cinema.container.mainContext)
    #expect(observer.results.isEmpty && observer.answer == nil && observer.query.text == "robot")
    #expect(await waitUntil(within: 30) { observer.results.map(\.title) == ["Robot A"] })
    try cinema.save(Film("Robot B", year: 2003))
    #expect(await waitUntil(within: 30) { observer.results.map(\.title).sorted() == ["Robot A", "Robot B"] })
    #expect(observer.answer?.matches == 2)
    try cinema.shell.succeed("set", "Film/p2", "title=Robot C")
    #expect(
      await waitUntil(within: 30) { observer.results.map(\.title).sorted() == ["Robot A", "Robot B", "Robot C"] })
    #expect(observer.results.allSatisfy { $0.modelContext === cinema.container.mainContext })
    try cinema.shell.succeed("delete", "Film/p1")
    #expect(await waitUntil(within: 30) { observer.results.map(\.title).sorted() == ["Robot B", "Robot C"] })
    observer.query = "garden OR b"
    #expect(await waitUntil(within: 30) { observer.results.map(\.title) == ["Robot B"] })
  }

  @Test func `a mistake is an error, and another query goes on`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Robot A", year: 2001))
    let observer = SearchObserver<Film>("robot", in: cinema.index, modelContext: cinema.container.mainContext)
    #expect(await waitUntil(within: 30) { observer.error != nil })
    #expect((observer.error as? FollowspotError)?.code == .indexMissing)
    try await cinema.index.update()
    observer.refresh()
    #expect(await waitUntil(within: 30) { observer.results.count == 1 && observer.error == nil })
    observer.query = "title:(robot"
    #expect(await waitUntil(within: 30) { observer.error != nil })
    #expect((observer.error as? FollowspotError)?.code == .query && observer.results.count == 1)
  }

  @Test func `observers are notified, and an observer that is gone leaves no search`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Robot A", year: 2001))
    try await cinema.index.update()
    weak var gone: SearchObserver<Film>?
    do {
      let observer = SearchObserver<Film>("robot", in: cinema.index, modelContext: cinema.container.mainContext)
      gone = observer
      var count: Int?
      for await results in Observations({ observer.results.count }) where results > 0 {
        count = results
        break
      }
      #expect(count == 1)
    }
    #expect(await waitUntil(within: 30) { gone == nil })
  }
}
