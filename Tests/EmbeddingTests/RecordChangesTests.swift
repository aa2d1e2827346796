// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SwiftData
import TestSupport
import Testing

/// The changes of a store as a sequence.
@Suite(.overlapping, .temporaryDirectory)
struct RecordChangesTests {
  private func all(_ changes: RecordChanges) async throws -> [RecordChange] {
    var found: [RecordChange] = []
    for try await change in changes { found.append(change) }
    return found
  }

  @Test func `the feed begins with all objects and continues with each change, as the program's does`() async throws {
    let cinema = try Cinema()
    try cinema.saveMany(600)
    let start = try await all(cinema.index.changes(follows: false))
    #expect(start.count == 600 && start.allSatisfy { $0.kind == .existing })
    #expect(start.dropLast().allSatisfy { $0.position == nil })
    #expect(
      Set(start.compactMap { $0.fields?["title"] })
        == Set(try cinema.rows("SELECT ZTITLE FROM ZFILM").map { .text($0[0]) }))
    let position = try #require(start.last?.position)
    #expect(try await all(cinema.index.changes(after: position, follows: false)).isEmpty)

    let films = try cinema.context.fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.title)]))
    films[0].year = 1900
    cinema.context.delete(films[1])
    try cinema.context.save()
    try cinema.shell.succeed("set", "Film/p5", "year=1901", "--author", "projectionist")
    let later = try await all(cinema.index.changes(after: position, follows: false))
    #expect(later.count == 3)
    let rows = try cinema.rows(
      """
      SELECT c.ZCHANGETYPE, c.ZENTITYPK, c.ZTRANSACTIONID FROM ACHANGE c WHERE c.ZTRANSACTIONID > 1 ORDER BY c.Z_PK
      """)
    let kinds = ["0": RecordChange.Kind.insert, "1": .update, "2": .delete]
    #expect(later.map(\.kind) == rows.map { kinds[$0[0]] })
    #expect(later.map { "p" + $0.id.split(separator: "p").last! } == rows.map { "p" + $0[1] })
    #expect(later.map { String($0.transaction) } == rows.map { $0[2] })
    #expect(later.map(\.author) == ["cinema", "cinema", "projectionist"])
    let deleted = try #require(later.first { $0.kind == .delete })
    #expect(deleted.fields == nil && deleted.preserved == ["title": .text(films[1].title)])
    #expect(later.last?.fields?["year"] == .integer(1901) && later.last?.updated == ["year"])
    // Each position continues behind its change; and as text, and in the program.
    for (index, change) in later.enumerated() {
      let text = try #require(change.position?.rawValue)
      let rest = try await all(cinema.index.changes(after: ChangePosition(rawValue: text), follows: false))
      #expect(rest.map(\.position) == later.dropFirst(index + 1).map(\.position))
      #expect(try cinema.shell.run("feed", "--from", text).lines.count == rest.count)
    }
    #expect(ChangePosition(rawValue: "soon") == nil)
    #expect(try await all(cinema.index.changes(after: .init(after: 0), follows: false)).count == 603)
  }

  @Test func `kinds and authors restrict the feed`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009, studio: Studio(name: "Pixar")))
    try cinema.shell.succeed("set", "Film/p1", "year=2010", "--author", "projectionist")
    let studios = try await all(cinema.index.changes(kind: "Studio", follows: false))
    #expect(studios.map(\.entityName) == ["Studio"])
    let own = try await all(cinema.index.changes(after: .init(after: 0), author: "projectionist", follows: false))
    #expect(own.map(\.kind) == [.update])
    var wrong = cinema.index.changes(kind: "Play").makeAsyncIterator()
    do {
      _ = try await wrong.next()
      Issue.record("there is no such entity")
    } catch { #expect(error.code == .usage) }
    #expect(try await wrong.next() == nil)
  }

  @Test func `a consumer continues where it acknowledged, and a purge waits for it`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let first = try await all(cinema.index.changes(forConsumer: "mirror", follows: false))
    #expect(first.map(\.kind) == [.existing])
    // Nothing was acknowledged.
    #expect(try await all(cinema.index.changes(forConsumer: "mirror", follows: false)).count == 1)
    try await cinema.index.acknowledge(try #require(first.last?.position), by: "mirror")
    for number in 0..<5 { try cinema.save(Film("Film \(number)", year: 2000)) }
    #expect(try await cinema.index.consumers().map(\.name) == ["mirror"])
    #expect(try await cinema.index.consumers().first?.lag == 5)
    let held = try await cinema.index.purgeHistory(.before(6))
    #expect(held.heldBy?.name == "mirror")
    let later = try await all(cinema.index.changes(forConsumer: "mirror", follows: false))
    #expect(later.map(\.transaction) == [2, 3, 4, 5, 6] && later.allSatisfy { $0.kind == .insert })
    try await cinema.index.acknowledge(try #require(later[2].position), by: "mirror")
    // The position lies inside a transaction, which comes again as a whole.
    #expect(try await all(cinema.index.changes(forConsumer: "mirror", follows: false)).map(\.transaction) == [4, 5, 6])
    try await cinema.index.acknowledge(.init(after: 6), by: "mirror")
    #expect(try await all(cinema.index.changes(forConsumer: "mirror", follows: false)).isEmpty)

    var iterator = cinema.index.changes(forConsumer: "mirror").makeAsyncIterator()
    try cinema.save(Film("Coco", year: 2017))
    #expect(try await iterator.next()?.fields?["title"] == .text("Coco"))
    var other = cinema.index.changes(forConsumer: "mirror").makeAsyncIterator()
    do {
      _ = try await other.next()
      Issue.record("the consumer is in use")
    } catch { #expect(error.code == .locked) }
    let locked = await #expect(throws: FollowspotError.self) { try await cinema.index.removeConsumer("mirror") }
    #expect(locked?.code == .locked)
    iterator = cinema.index.changes().makeAsyncIterator()
    try await cinema.index.removeConsumer("mirror")
    #expect(try await cinema.index.consumers().isEmpty)
    let unknown = await #expect(throws: FollowspotError.self) { try await cinema.index.removeConsumer("mirror") }
    #expect(unknown?.code == .usage)
    _ = iterator
  }

  @Test func `changes that were purged are an error that names the way out`() async throws {
    let cinema = try Cinema()
    for number in 0..<5 { try cinema.save(Film("Film \(number)", year: 2000)) }
    #expect(try await cinema.index.purgeHistory(.before(4), isDryRun: true).transactions == 3)
    #expect(try cinema.rows("SELECT COUNT(*) FROM ATRANSACTION") == [["5"]])
    #expect(try await cinema.index.purgeHistory(.before(4)).transactions == 3)
    #expect(try cinema.rows("SELECT COUNT(*) FROM ATRANSACTION") == [["2"]])
    var iterator = cinema.index.changes(after: .init(after: 1)).makeAsyncIterator()
    do {
      _ = try await iterator.next()
      Issue.record("the history is gone")
    } catch {
      #expect(error.code == .historyGone && error.advice?.contains("from the beginning") == true)
    }
    var future = cinema.index.changes(after: .init(after: 99)).makeAsyncIterator()
    do {
      _ = try await future.next()
      Issue.record("there is no such transaction")
    } catch { #expect(error.code == .historyGone) }
  }

  @Test(arguments: Rounds.seeds(2, long: 40))
  func `a mirror of the feed equals the store, beside saves and with cancellations`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: seed)
    let cinema = try Cinema()
    try cinema.saveMany(700)
    /// What a reader keeps: the titles by identifier, and the position.
    struct Mirror {
      var titles: [String: String] = [:]
      var position: ChangePosition?
      mutating func take(_ change: RecordChange) {
        titles[change.id] = change.fields?["title"].flatMap { if case .text(let text) = $0 { text } else { nil } }
        if let reached = change.position { position = reached }
      }
    }
    var mirror = Mirror()
    for round in 0..<25 {
      let films = try cinema.context.fetch(FetchDescriptor<Film>()).shuffled(using: &random)
      for film in films.prefix(4) {
        if Bool.random(using: &random) { cinema.context.delete(film) } else { film.title += "'" }
      }
      cinema.context.insert(Film("Round \(round)", year: round))
      try cinema.context.save()
      let wanted = Int.random(in: 1...400, using: &random)
      let start = mirror
      // The task is cancelled after so many changes; the next one continues, from the beginning without a position.
      mirror = try await Task { [index = cinema.index] in
        var own = start
        var count = 0
        for try await change in index.changes(after: own.position) where count <= wanted {
          if own.position == nil, count == 0 { own.titles = [:] }
          own.take(change)
          count += 1
          if count == wanted { withUnsafeCurrentTask { $0?.cancel() } }
          if change.position != nil, change.kind == .existing { break }
        }
        return own
      }.value
      if mirror.position == nil { continue }
      for change in try await all(cinema.index.changes(after: mirror.position, follows: false)) { mirror.take(change) }
      let rows = try cinema.rows("SELECT ZTITLE FROM ZFILM")
      #expect(mirror.titles.values.sorted() == rows.map { $0[0] }.sorted(), "seed \(seed), round \(round)")
    }
  }
}
