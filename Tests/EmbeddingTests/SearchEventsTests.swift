// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SwiftData
import TestSupport
import Testing

/// Saved searches and their events.
@Suite(.overlapping, .temporaryDirectory)
struct SearchEventsTests {
  private func all(_ events: SearchEvents) async throws -> [SearchEvent] {
    var found: [SearchEvent] = []
    for try await event in events { found.append(event) }
    return found
  }

  @Test func `a saved search is that of the program, in both directions`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Robot One", year: 2001))
    try await cinema.index.update()
    try await cinema.index.saveSearch(named: "robots", "robot year:2000..", kinds: ["Film"], limit: 7)
    #expect(try cinema.shell.run("saved", "run", "robots", "--format", "ids").lines.count == 1)
    try cinema.shell.succeed("saved", "add", "all", "*")
    let saved = try await cinema.index.savedSearches()
    #expect(saved.map(\.name) == ["all", "robots"] && saved.allSatisfy { $0.watcher == nil })
    #expect(saved[1].query.text == "robot year:2000.." && saved[1].query.kinds == ["Film"] && saved[1].query.limit == 7)
    #expect(try await cinema.index.search(saved[1].query).matches == 1)
    let taken = await #expect(throws: FollowspotError.self) { try await cinema.index.saveSearch(named: "all", "x") }
    #expect(taken?.code == .usage && taken?.advice?.contains("replaces") == true)
    try await cinema.index.saveSearch(named: "all", "robot", replaces: true)
    #expect(try await cinema.index.savedSearches().first?.query.text == "robot")
    let wrong = await #expect(throws: FollowspotError.self) { try await cinema.index.saveSearch(named: "x", "robot (") }
    #expect(wrong?.code == .query)
    for name in ["", "a b", "../x"] {
      let error = await #expect(throws: FollowspotError.self) { try await cinema.index.saveSearch(named: name, "x") }
      #expect(error?.code == .usage)
    }
    try await cinema.index.removeSavedSearch(named: "all")
    #expect(try cinema.shell.run("saved", "list").lines.count == 1)
    let gone = await #expect(throws: FollowspotError.self) { try await cinema.index.removeSavedSearch(named: "robot") }
    #expect(gone?.code == .usage && gone?.advice == "did you mean 'robots'?")
  }

  @Test func `events come once, in order, and continue after the iterator and in the program`() async throws {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Robot One", year: 2001), Film("Robot Two", year: 2002), Film("Up", year: 2009))
    try await cinema.index.update()
    try await cinema.index.saveSearch(named: "robots", "robot year:2000..")
    let first = try await all(cinema.index.events(ofSavedSearch: "robots", startsWithResult: true, follows: false))
    #expect(first.map(\.kind) == [.enter, .enter] && first.map(\.title) == ["Robot One", "Robot Two"])
    #expect(try await all(cinema.index.events(ofSavedSearch: "robots", follows: false)).isEmpty)

    films[0].year = 1999
    films[1].remark = "seen"
    cinema.context.insert(Film("Robot Three", year: 2003))
    try cinema.context.save()
    let second = try await all(cinema.index.events(ofSavedSearch: "robots", follows: false))
    #expect(
      Set(second.map { "\($0.kind) \($0.title)" }) == ["leave Robot One", "change Robot Two", "enter Robot Three"])
    #expect(second.map(\.number) == [3, 4, 5] && second.allSatisfy { $0.token == 2 && $0.author == "cinema" })
    let json = try #require(second.first { $0.kind == .change }?.json)
    #expect(String(decoding: json, as: UTF8.self).contains("\"remark\":\"seen\""))

    // The last event was given, but not handled: it comes again, here or in the program.
    cinema.context.delete(films[1])
    try cinema.context.save()
    try cinema.save(Film("Robot Four", year: 2004))
    var iterator = cinema.index.events(ofSavedSearch: "robots").makeAsyncIterator()
    let left = try #require(try await iterator.next())
    #expect(left.kind == .leave && left.title == "Robot Two" && left.json == nil)
    let busy = await #expect(throws: FollowspotError.self) {
      try await cinema.index.removeSavedSearch(named: "robots")
    }
    #expect(busy?.code == .locked)
    #expect(try await cinema.index.savedSearches().first?.watcher == Int(ProcessInfo.processInfo.processIdentifier))
    iterator = cinema.index.events(ofSavedSearch: "nothing").makeAsyncIterator()
    let watched = try cinema.shell.run("saved", "watch", "robots", "--once")
    #expect(watched.lines.count == 2 && watched.lines[0].contains("Robot Two"), "\(watched)")
    do {
      _ = try await iterator.next()
      Issue.record("there is no such search")
    } catch { #expect(error.code == .usage) }
  }

  @Test func `the sequence waits for saves, and ends with its task`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Robot One", year: 2001))
    try await cinema.index.update()
    try await cinema.index.saveSearch(named: "robots", "robot")
    let task = Task { [index = cinema.index] in
      var titles: [String] = []
      for try await event in index.events(ofSavedSearch: "robots", startsWithResult: true) {
        titles.append(event.title)
        if titles.count == 4 { break }
      }
      return titles
    }
    for number in 2...4 { try cinema.save(Film("Robot \(number)", year: 2000)) }
    #expect(try await task.value == ["Robot One", "Robot 2", "Robot 3", "Robot 4"])
    let idle = Task { [index = cinema.index] in
      for try await _ in index.events(ofSavedSearch: "robots") {}
    }
    try await Task.sleep(for: .milliseconds(50))
    idle.cancel()
    try await idle.value
    try await cinema.index.removeSavedSearch(named: "robots")
  }
}
