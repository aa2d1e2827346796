// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import TestSupport
import Testing

/// Several stores that a program searches as one.
@Suite(.overlapping, .temporaryDirectory)
struct StoreGroupTests {
  private let directory = TemporaryDirectory()

  /// A database with a table of books.
  private func database(_ name: String, _ titles: [String]) throws -> StoreIndex {
    let connection = try Connection(path: directory.file(name), access: .create)
    try connection.execute("CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT, year INTEGER)")
    for (number, title) in titles.enumerated() {
      try connection.execute("INSERT INTO books VALUES(\(number + 1), '\(title)', \(2000 + number))")
    }
    return StoreIndex(of: URL(fileURLWithPath: directory.file(name)))
  }

  private func execute(_ sql: String, in name: String) throws {
    try Connection(path: directory.file(name), access: .readWrite).execute(sql)
  }

  @Test func `a group answers as one store with all records does`() async throws {
    let words = ["robot", "garden", "river", "stone", "night"]
    let titles = (0..<40).map { "\(words[$0 % 5]) \(words[($0 / 5) % 5]) book\($0)" }
    let first = try database("a.sqlite", Array(titles[..<15]))
    let second = try database("b.sqlite", Array(titles[15...]))
    let all = try database("all.sqlite", titles)
    let group = try StoreGroup([.init("first", first), .init("second", second)])
    try await group.update()
    try await all.update()
    for query in ["robot", "robot garden", "river OR stone", "title:night -robot", "*", "year:2003..2007"] {
      let request = SearchQuery(query, limit: nil)
      let (found, expected) = (try await group.search(request), try await all.search(request))
      #expect(
        found.hits.map(\.title).sorted() == expected.hits.map(\.title).sorted() || query.hasPrefix("year"), "\(query)")
      if !query.hasPrefix("year") {
        let scores = found.hits.map { ($0.score * 1e6).rounded() }
        #expect(scores == expected.hits.map { ($0.score * 1e6).rounded() }, "\(query)")
        #expect(try await group.count(request).matches == all.count(request).matches, "\(query)")
      }
    }
    let counts = try await group.count("*", by: "@store").facet?.values.map { ($0.text, $0.count) } ?? []
    #expect(counts.map(\.0) == ["second", "first"] && counts.map(\.1) == [25, 15])
    let answer = try await group.search("@store:first robot")
    #expect(!answer.hits.isEmpty && answer.hits.allSatisfy { $0.store == "first" })
    #expect(answer.stores.map(\.name) == ["first", "second"] && answer.missing.isEmpty)
    let hit = try #require(answer.hits.first)
    let explanation = try #require(try await group.explain(hit.id, "robot"))
    #expect(explanation.title == hit.title && explanation.verdict == .matches)
    #expect(try await group.suggestions(for: "gard").map(\.text).contains("garden"))
    #expect(try await group.explain("books/999", "robot") == nil)
    let several = await #expect(throws: FollowspotError.self) { try await group.explain("books/1", "robot") }
    #expect(several?.message == "'books/1' is in several stores: first:books/1, second:books/1")
    let rows = try await group.rows(of: "SELECT count(*) FROM books")
    #expect(rows.rows == [[.integer(40)]])
  }

  @Test func `saves to any store are in the results, and a store that is gone is named`() async throws {
    let first = try database("a.sqlite", ["Robot"])
    let second = try database("b.sqlite", ["Garden"])
    let group = try StoreGroup([.init("first", first), .init("second", second)])
    try await group.update()
    var updates = group.results(of: "robot").makeAsyncIterator()
    #expect(try await updates.next()?.answer.hits.map(\.store) == ["first"])
    try execute("INSERT INTO books VALUES(2, 'Robot garden', 1999)", in: "b.sqlite")
    let update = try #require(try await updates.next())
    #expect(update.inserted.count == 1 && Set(update.answer.hits.map(\.store)) == ["first", "second"])
    #expect(try await group.search("robot").hits.count == 2)
    for end in ["", "-wal", "-shm"] { unlink(directory.file("b.sqlite") + end) }
    let rest = try await group.search("robot")
    #expect(rest.hits.map(\.store) == ["first"])
    #expect(rest.missing.keys.sorted() == ["second"] && rest.missing["second"]?.hasPrefix("second: ") == true)
    #expect(try await group.rows(of: "SELECT title FROM books").missing.keys.sorted() == ["second"])
    let unknown = await #expect(throws: FollowspotError.self) { try await group.explain("second:books/1", "robot") }
    #expect(unknown?.code == .storeMissing && unknown?.message.hasPrefix("second: ") == true)
    let none = try await group.search("@store:second robot")
    #expect(none.hits.isEmpty && none.missing.count == 1)
    #expect(try await group.count("*", by: "@store").facet?.values.map(\.text) == ["first"])
    _ = try database("b.sqlite", ["Robot river", "Robot stone"])
    try await group.update()
    let back = try await group.search("robot")
    #expect(back.missing.isEmpty && back.hits.count == 3)
  }

  @Test func `a group without stores, or with one twice, is refused`() throws {
    let index = try database("a.sqlite", ["Robot"])
    #expect(throws: FollowspotError.self) { try StoreGroup([]) }
    let names = #expect(throws: FollowspotError.self) {
      try StoreGroup([.init("a", index), .init("a", try database("b.sqlite", []))])
    }
    #expect(names?.message == "two stores of the group have the name 'a'" && names?.code == .usage)
    let twice = #expect(throws: FollowspotError.self) { try StoreGroup([.init("a", index), .init("b", index)]) }
    #expect(twice?.message.hasPrefix("two stores of the group have one index: ") == true)
  }

  @Test func `a database is attached, followed and detached`() async throws {
    let index = try database("a.sqlite", ["Robot", "Garden"])
    let report = try await index.attach(preserving: ["books.title"])
    #expect(report.tables == ["books"] && report.hasChanged && !report.isRenewal && report.omitted.isEmpty)
    #expect(try await !index.attach(preserving: ["books.title"]).hasChanged)
    try await index.update()
    try execute("DELETE FROM books WHERE id = 1; UPDATE books SET title = 'Stone' WHERE id = 2", in: "a.sqlite")
    #expect(try await index.search("deleted:* robot").hits.map(\.title) == ["Robot"])
    #expect(try await index.log(of: "stone").objects == 1)
    try await index.detach()
    #expect(try await index.search("stone").hits.count == 1)
    let error = await #expect(throws: FollowspotError.self) { try await index.detach() }
    #expect(error?.message.hasSuffix("is not attached") == true)
    let missing = await #expect(throws: FollowspotError.self) { try await index.attach(tables: ["nothing"]) }
    #expect(missing?.message.contains("nothing") == true)
  }

  @Test func `a search that takes longer than its deadline is stopped`() async throws {
    let index = try database("a.sqlite", ["Robot"])
    try await index.update()
    var query = SearchQuery("robot")
    query.deadline = .seconds(60)
    #expect(try await index.search(query).hits.count == 1)
    // No transaction has this number, so the search waits for it.
    query.atLeast = 1_000_000
    query.patience = .seconds(600)
    query.deadline = .milliseconds(200)
    try await index.attach()
    try await index.update()
    let error = await #expect(throws: FollowspotError.self) { try await index.search(query) }
    #expect(error?.code == .timeout && error?.message == "it took longer than 0.2 seconds")
  }

  @Test func `stores that a program has open keep their locks, and one that is gone is named`() async throws {
    let (first, second) = (try Cinema(in: "first"), try Cinema(in: "second"))
    try first.save(Film("Robot", year: 2001))
    try second.save(Film("Robot garden", year: 2002))
    let before = try Self.locks(of: [first.store, second.store])
    #expect(before >= 2)
    let group = try StoreGroup([.init("first", first.index), .init("second", second.index)])
    let early = await #expect(throws: FollowspotError.self) { try await group.search("robot") }
    #expect(early?.code == .indexMissing)
    try await group.update()
    // Stores that were not written for a while could be read without SQLite.
    try await Task.sleep(for: .milliseconds(3_200))
    #expect(try await group.search("robot").hits.count == 2)
    #expect(try await group.search("robot").hits.count == 2)
    #expect(try Self.locks(of: [first.store, second.store]) >= before)
    for end in ["", "-wal", "-shm"] { unlink(second.store.path + end) }
    let rest = try await group.search("robot")
    #expect(rest.hits.map(\.store) == ["first"] && rest.missing.keys.sorted() == ["second"])
  }

  /// The number of locks that this process holds on the files of stores.
  private static func locks(of stores: [URL]) throws -> Int {
    let numbers = try stores.flatMap { store in
      try ["", "-shm"].compactMap { end in
        try FileManager.default.attributesOfItem(atPath: store.path + end)[.systemFileNumber] as? Int
      }
    }
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count { line in
      let parts = line.split(separator: " ")
      return parts.contains { $0 == own }
        && numbers.contains { number in parts.contains { $0.hasSuffix(":\(number)") } }
    }
  }
}
