// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SwiftData
import TestSupport
import Testing

/// The state of an index, and what keeps it right.
@Suite(.overlapping, .temporaryDirectory)
struct UpkeepTests {
  @Test func `the state is that of the files`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009, studio: Studio(name: "Pixar")))
    let before = try await cinema.index.status()
    #expect(before.index == nil && before.store.newest == 1 && before.lag == 1 && before.follower == nil)
    try await cinema.index.update()
    try cinema.save(Film("Coco", year: 2017))
    let status = try await cinema.index.status()
    #expect(status.store.transactions == 2 && status.store.oldest == 1 && status.store.newest == 2)
    #expect(try [[String(status.store.changes)]] == cinema.rows("SELECT COUNT(*) FROM ACHANGE"))
    let size = try FileManager.default.attributesOfItem(atPath: cinema.store.path)[.size] as? Int
    #expect(status.store.bytes == size)
    let index = try #require(status.index)
    #expect(index.documents == 2 && index.token == 1 && index.generation == 1 && index.bytes > 0 && index.fault == nil)
    #expect(index.coverage.pending == 1 && status.lag == 1 && status.lagTime != nil)
    #expect(try cinema.shell.run("status", "--format", "json").output.contains(index.checksum))
    #expect(status.consumers?.map(\.name) == ["index:" + (try realPath(cinema.index.directory.path))])

    let follower = Task { [index = cinema.index] in try await index.follow() }
    var worker: IndexReport.Worker?
    for _ in 0..<600 where worker?.state != "following" {
      worker = try await cinema.index.status().follower
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(worker?.process == Int(ProcessInfo.processInfo.processIdentifier) && worker?.state == "following")
    follower.cancel()
    try await follower.value
  }

  private func realPath(_ path: String) throws -> String {
    let resolved = try #require(realpath(path, nil))
    defer { free(resolved) }
    return String(cString: resolved)
  }

  @Test func `a comparison finds an index that is not the store's, and repairs it`() async throws {
    let cinema = try Cinema()
    try cinema.saveMany(20)
    try await cinema.index.update()
    let equal = try await cinema.index.verify()
    #expect(equal.isEqual && equal.documents == 20 && equal.token == 1 && equal.repair == nil)
    // Rows are changed behind the history: the index cannot know.
    try change(cinema, "UPDATE ZFILM SET ZTITLE = 'Changed' WHERE Z_PK = 3")
    try change(cinema, "DELETE FROM ZFILM WHERE Z_PK = 5")
    for isQuick in [false, true] {
      let different = try await cinema.index.verify(isQuick: isQuick)
      #expect(!different.isEqual && different.stale == ["Film/p3"] && different.extra == ["Film/p5"])
      #expect(different.missing.isEmpty && !different.isDamaged)
    }
    let repaired = try await cinema.index.verify(repairs: true)
    #expect(
      repaired.isEqual && repaired.repair?.added == 0 && repaired.repair?.updated == 1 && repaired.repair?.removed == 1)
    try cinema.expectEqual(documents: 19)
    let follower = try cinema.shell.start(["index", "--follow"])
    try #require(follower.waitForError("following "), "\(follower.errors)")
    let locked = await #expect(throws: FollowspotError.self) { try await cinema.index.verify(repairs: true) }
    #expect(locked?.code == .locked)
    #expect(follower.end().code == 0)
  }

  private func change(_ cinema: Cinema, _ sql: String) throws {
    let done = try cinema.shell.run(
      [
        "-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()",
        cinema.store.path, sql,
      ], program: "/usr/bin/python3")
    try #require(done.code == 0, "\(done)")
  }

  @Test func `waiting ends when another process has indexed, after its time, and with its task`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    #expect(try await cinema.index.wait(timeout: .zero) == false)
    let waiting = Task { [index = cinema.index] in try await index.wait() }
    try cinema.shell.succeed("index")
    #expect(try await waiting.value)
    #expect(try await cinema.index.wait(for: 1, timeout: .zero))
    #expect(try await cinema.index.wait(for: 2, timeout: .milliseconds(20)) == false)
    let endless = Task { [index = cinema.index] in try await index.wait(for: 99) }
    endless.cancel()
    await #expect(throws: CancellationError.self) { try await endless.value }
  }

  @Test func `a rollback serves the generation before, and an update continues there`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    #expect(try await cinema.index.rollback() == nil)
    try await cinema.index.rebuild()
    #expect(try await cinema.index.status().index?.generation == 2)
    try cinema.save(Film("Coco", year: 2017))
    #expect(try await cinema.index.rollback() == 1)
    #expect(try await cinema.titles("*") == ["Coco", "Up"])
    try await cinema.index.update()
    #expect(try await cinema.index.status().index?.generation == 1)
    try cinema.expectEqual(documents: 2)
  }

  @Test func `an index is removed with its saved searches, and can be built again`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.remove()
    try await cinema.index.update()
    try await cinema.index.saveSearch(named: "all", "*")
    for try await _ in cinema.index.events(ofSavedSearch: "all", startsWithResult: true, follows: false) {}
    #expect(try await cinema.index.consumers().count == 2)
    let follower = Task { [index = cinema.index] in try await index.follow() }
    for _ in 0..<600 where try await cinema.index.status().follower == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    let locked = await #expect(throws: FollowspotError.self) { try await cinema.index.remove() }
    #expect(locked?.code == .locked)
    #expect(try await cinema.index.search("up").matches == 1)
    follower.cancel()
    try await follower.value
    try await cinema.index.remove()
    #expect(!FileManager.default.fileExists(atPath: cinema.index.directory.path))
    #expect(!FileManager.default.fileExists(atPath: cinema.store.path + ".consumers"))
    let missing = await #expect(throws: FollowspotError.self) { try await cinema.index.search("up") }
    #expect(missing?.code == .indexMissing)
    #expect(try await cinema.index.update() == 1)
    #expect(try await cinema.titles("up") == ["Up"])
    // A directory that is not an index stays.
    let other = cinema.directory.file("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    _ = try cinema.directory.write("text", to: "other/note.txt")
    let foreign = await #expect(throws: FollowspotError.self) {
      try await StoreIndex(of: cinema.store, directory: URL(fileURLWithPath: other)).remove()
    }
    #expect(foreign?.code == .file)
    #expect(FileManager.default.fileExists(atPath: other + "/note.txt"))
  }

  @Test func `the rows of an SQL statement are those of the store, and of a search`() async throws {
    let cinema = try Cinema()
    try cinema.saveMany(15)
    let rows = try await cinema.index.rows(of: "SELECT title, year, isSeen, remark FROM Film ORDER BY title")
    #expect(rows.columns == ["title", "year", "isSeen", "remark"] && !rows.isTruncated)
    let plain = try cinema.rows("SELECT ZTITLE, ZYEAR FROM ZFILM ORDER BY ZTITLE")
    #expect(rows.rows.map { [$0[0], $0[1]] } == plain.map { [.text($0[0]), .integer(Int64($0[1])!)] })
    let missing = await #expect(throws: FollowspotError.self) {
      try await cinema.index.rows(of: "SELECT * FROM search('robot')")
    }
    #expect(missing?.code == .indexMissing)
    try await cinema.index.update()
    let found = try await cinema.index.rows(
      of: "SELECT COUNT(*), NULL FROM Film JOIN search('toys') AS s ON s.key = Film.key")
    #expect(found.rows == [[.integer(5), nil]])
    let some = try await cinema.index.rows(of: "SELECT title FROM Film", limit: 4)
    #expect(some.rows.count == 4 && some.isTruncated)
    #expect(try await cinema.index.rows(of: "SELECT title FROM Film", limit: 15).isTruncated == false)
    for wrong in ["DELETE FROM Film", "SELECT * FROM Flim", "SELECT 1; SELECT 2", ""] {
      let error = await #expect(throws: FollowspotError.self) { try await cinema.index.rows(of: wrong) }
      #expect(error?.code == .query || error?.code == .usage, "\(wrong)")
    }
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    let late = await #expect(throws: FollowspotError.self) {
      try await cinema.index.rows(of: endless, timeout: .milliseconds(30))
    }
    #expect(late?.code == .usage)
    let cancelled = Task { [index = cinema.index] in try await index.rows(of: endless) }
    try await Task.sleep(for: .milliseconds(30))
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test func `the schema names entities and fields, and its definition can be used again`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    try await cinema.index.update()
    let schema = try await cinema.index.schema()
    #expect(schema.entities.map(\.name) == ["Film", "Studio"])
    let film = schema.entities[0]
    #expect(film.attributes.contains("remark") && !film.fields.contains { $0.name == "remark" })
    #expect(film.fields.first { $0.name == "title" }?.roles.contains("text") == true)
    let again = StoreIndex(of: cinema.store, definition: schema.definition)
    try await again.update()
    #expect(try await again.status().index?.generation == 1)
  }
}
