// SPDX-License-Identifier: MIT

import Followspot
import FoundationEssentials
import TestSupport
import Testing

/// Errors of `StoreIndex`, and the advice that they give.
@Suite(.overlapping, .temporaryDirectory)
struct StoreIndexErrorTests {
  private func error(_ body: () async throws -> Void) async -> FollowspotError? {
    await #expect(throws: FollowspotError.self) { try await body() }
  }

  @Test func `the error names a store that does not exist, and no file is created`() async throws {
    let directory = TemporaryDirectory()
    let path = directory.file("films.store")
    let index = StoreIndex(of: URL(fileURLWithPath: path))
    let calls: [() async throws -> Void] = [
      { try await index.update() }, { try await index.follow() }, { try await index.rebuild() },
      { _ = try await index.search("up") },
    ]
    for call in calls {
      let error = await error(call)
      #expect(error?.code == .storeMissing)
      #expect(error?.message == "no store at \(path)")
      #expect(error?.recovery == .createStore)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }

  @Test func `the error names a file that is not a store`() async throws {
    let directory = TemporaryDirectory()
    let path = try directory.write("Toy Story\n", to: "films.store")
    let error = await error { try await StoreIndex(of: URL(fileURLWithPath: path)).update() }
    #expect(error?.code == .storeUnusable)
    #expect(error?.message == "\(path) is not an SQLite file")
  }

  @Test func `the error of a search before the first update names the method to call`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let error = await error { _ = try await cinema.index.search("up") }
    #expect(error?.code == .indexMissing)
    #expect(error?.message == "no index at \(cinema.index.directory.path)")
    #expect(error?.recovery == .updateIndex)
  }

  @Test func `the error of an invalid query has the position of the mistake`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let error = await error { _ = try await cinema.index.search("up (cloud") }
    #expect(error?.code == .query)
    #expect(error?.message == "this parenthesis is not closed")
    #expect(error?.queryOffset == 3)
    #expect(try await cinema.titles("up") == ["Up"])
  }

  @Test(arguments: [
    ("{", "the given data was not valid JSON."),
    (#"{"entities": {"Film": {"fields": [{"name": "colour", "roles": ["text"]}]}}}"#, "colour"),
    (#"{"entities": {"Film": {"fields": [{"name": "title", "roles": ["smell"]}]}}}"#, "smell"),
  ])
  func `the error of an invalid definition names its fault`(_ definition: String, _ word: String) async throws {
    let cinema = try Cinema(definition: definition)
    try cinema.save(Film("Up", year: 2009))
    let error = await error { try await cinema.index.update() }
    #expect(error?.code == .definition)
    #expect(error?.message.lowercased().contains(word.lowercased()) == true, "\(error?.message ?? "-")")
  }

  @Test func `an update with another definition than a running follower's uses its own after the follower ends`()
    async throws
  {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let follower = Task { [index = cinema.index] in try await index.follow() }
    try await cinema.index.update()
    let wanted = #"{"entities": {"Film": {"fields": [{"name": "remark", "roles": ["text"]}]}}}"#
    let update = Task { [store = cinema.store] in try await StoreIndex(of: store, definition: wanted).update() }
    follower.cancel()
    try await follower.value
    #expect(try await update.value == 1)
    #expect(try await cinema.titles("up") == [])
  }

  @Test func `an unknown field is answered with the corrected query and the position`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let query = "up OR (titel:coco)"
    let error = await error { _ = try await cinema.index.count(SearchQuery(query)) }
    #expect(error?.code == .query && error?.recovery == .nearestNames(["title"]))
    #expect(error?.query == query && error?.queryOffset == 7)
    #expect(error?.queryIndex.map { String(query[$0...]) } == "titel:coco)")
    #expect(error?.correctedQuery == "up OR (title:coco)")
    #expect(error?.advice == "did you mean title?")
    let corrected = try #require(error?.correctedQuery)
    #expect(try await cinema.index.count(SearchQuery(corrected)).matches == 1)
  }

  @Test func `an attribute that is not indexed is named as such`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009, remark: "rented"))
    try await cinema.index.update()
    let error = await error { _ = try await cinema.index.count("remark:rented") }
    #expect(error?.code == .query && error?.message == "the attribute 'remark' is stored, but it is not indexed")
    #expect(error?.advice?.contains("definition") == true && error?.correctedQuery == nil)
  }

  @Test func `an error is a localized error, and each recovery has an advice`() async throws {
    let index = StoreIndex(of: URL(fileURLWithPath: "/nowhere/films.store"))
    let error = await error { try await index.update() }
    let localized = try #require(error as (any LocalizedError)?)
    #expect(localized.errorDescription == error?.message && localized.recoverySuggestion == error?.advice)
    #expect(error?.advice?.isEmpty == false)
    let all: [FollowspotError.Recovery] = [
      .retry, .freeSpace, .raiseLimits, .checkPermissions, .checkDisk, .createStore, .chooseStore, .chooseDirectory,
      .restoreBackup, .openWithOwner, .updateIndex, .rebuildIndex, .nearestNames(["title"]),
    ]
    let advice = all.map { FollowspotError(code: .file, message: "no", recovery: $0).advice ?? "" }
    #expect(Set(advice).count == all.count && !advice.contains(""))
    #expect(FollowspotError(code: .usage, message: "no").advice == nil)
  }
}
