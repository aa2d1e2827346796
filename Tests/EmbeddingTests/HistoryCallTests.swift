// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

/// What the history says of the matches of a query.
@Suite(.overlapping, .temporaryDirectory)
struct HistoryCallTests {
  /// Transactions: 1 inserts two films, 2 updates one, 3 deletes it, 4 inserts one with another author.
  private func cinema() async throws -> (Cinema, ids: [String]) {
    let cinema = try Cinema()
    let films = try cinema.save(Film("Robot One", year: 2001), Film("Robot Two", year: 2002))
    try await cinema.index.update()
    let ids = films.map(\.persistentModelID.uriRepresentation)
    films[0].year = 1999
    try cinema.context.save()
    cinema.context.delete(films[0])
    try cinema.context.save()
    cinema.context.author = "projectionist"
    try cinema.save(Film("Robot Three", year: 2003))
    return (cinema, ids)
  }

  @Test func `the log has the transactions of the objects that match, in both orders and in pages`() async throws {
    let (cinema, ids) = try await cinema()
    let log = try await cinema.index.log(of: "robot")
    // The deleted film does not match any more.
    #expect(log.transactions.map(\.number) == [1, 4] && log.objects == 2 && log.token == 4 && log.missing.isEmpty)
    #expect(log.transactions.map(\.author) == ["cinema", "projectionist"])
    #expect(log.transactions.map { $0.changes.map(\.title) } == [["Robot Two"], ["Robot Three"]])
    #expect(try await cinema.index.log(of: "robot", isNewestFirst: true).transactions.map(\.number) == [4, 1])
    #expect(try await cinema.index.log(of: "robot", after: 1, limit: 1).transactions.map(\.number) == [4])
    #expect(try await cinema.index.log(of: "robot", limit: 0).transactions.isEmpty)
    #expect(try await cinema.index.log(of: "robot", author: "cinema").transactions.map(\.number) == [1])

    let deleted = try await cinema.index.log(ofObjects: [ids[0]])
    #expect(deleted.transactions.map(\.number) == [1, 2, 3])
    #expect(deleted.transactions.flatMap { $0.changes.map(\.kind) } == [.insert, .update, .delete])
    #expect(deleted.transactions[1].changes[0].updated == ["year"])
    #expect(deleted.transactions[2].changes[0].preserved == ["title": .text("Robot One")])
    for (transaction, time) in zip(
      deleted.transactions, try cinema.rows("SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK"))
    {
      #expect(abs(transaction.date.timeIntervalSinceReferenceDate - Double(time[0])!) < 0.001)
    }
    for wrong in [["robot"], [], ["Play/p1"]] {
      let error = await #expect(throws: FollowspotError.self) { try await cinema.index.log(ofObjects: wrong) }
      #expect(error?.code == .usage)
    }
  }

  @Test func `a difference has each object once, and deleted ones by what is preserved`() async throws {
    let (cinema, ids) = try await cinema()
    let difference = try await cinema.index.difference(of: "robot", from: 1)
    #expect(difference.from == 1 && difference.to == 4)
    #expect(difference.changes.map(\.change.kind) == [.insert, .delete])
    #expect(difference.changes.map(\.change.title) == ["Robot Three", "Robot One"])
    #expect(difference.changes.last?.change.id == ids[0] && difference.changes.last?.transactions == 2)
    #expect(try await cinema.index.difference(of: "robot", from: 1, to: 2).changes.map(\.change.kind) == [.update])
    #expect(try await cinema.index.difference(of: "robot", from: 1, author: "projectionist").changes.count == 1)
    // Of the whole history, the deleted film is neither inserted nor deleted.
    #expect(try await cinema.index.difference(of: "robot", from: 0).changes.map(\.change.kind) == [.insert, .insert])
    let future = await #expect(throws: FollowspotError.self) {
      try await cinema.index.difference(of: "robot", from: 9)
    }
    #expect(future?.code == .historyGone)
    let backwards = await #expect(throws: FollowspotError.self) {
      try await cinema.index.difference(of: "robot", from: 3, to: 2)
    }
    #expect(backwards?.code == .usage)
    try await cinema.index.update()
    try await cinema.index.purgeHistory(.before(3))
    let purged = await #expect(throws: FollowspotError.self) {
      try await cinema.index.difference(of: "robot", from: 1)
    }
    #expect(purged?.code == .historyGone && purged?.advice?.contains("2") == true)
  }

  @Test func `the log and the difference of a group are those of its members, by time`() async throws {
    let (first, second) = (try Cinema(in: "first"), try Cinema(in: "second"))
    for number in 1...3 {
      try first.save(Film("Robot \(number)", year: 2000))
      try second.save(Film("Robot of second \(number)", year: 2000))
    }
    let directory = TemporaryDirectory()
    try Connection(path: directory.file("plain.sqlite"), access: .create).execute(
      "CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books VALUES(1, 'Robot')")
    let plain = StoreIndex(of: URL(fileURLWithPath: directory.file("plain.sqlite")))
    let group = try StoreGroup([
      .init("first", first.index), .init("second", second.index), .init("plain", plain),
    ])
    try await group.update()
    let log = try await group.log(of: "robot")
    #expect(
      log.transactions.map { "\($0.store ?? "-") \($0.number)" } == (1...3).flatMap { ["first \($0)", "second \($0)"] })
    #expect(log.stores.map(\.name) == ["first", "second"] && log.stores.map(\.token) == [3, 3] && log.objects == 6)
    let late = try await group.log(of: "robot", after: ["first": 2], limit: 2, isNewestFirst: true)
    #expect(late.transactions.map(\.store) == ["second", "first"])
    #expect(try await group.log(of: "robot", after: ["first": 2]).transactions.count == 4)
    let difference = try await group.difference(of: "robot", from: ["first": 1, "second": 2], to: ["first": 2])
    #expect(difference.changes.map { $0.change.title } == ["Robot 2", "Robot of second 3"])
    #expect(difference.changes.map(\.store) == ["first", "second"])
    #expect(difference.ranges.map(\.from) == [1, 2] && difference.ranges.map(\.to) == [2, 3])
    for member in [first, second] {
      let name = member.store == first.store ? "first" : "second"
      let (own, all) = (try await member.index.log(of: "robot"), log.transactions.filter { $0.store == name })
      #expect(own.transactions.map(\.number) == all.map(\.number) && own.transactions.map(\.date) == all.map(\.date))
    }
    #expect(log.missingStores.isEmpty && difference.missingStores.isEmpty)
    for end in ["", "-wal", "-shm"] { unlink(second.store.path + end) }
    let rest = try await group.log(of: "robot")
    #expect(rest.stores.map(\.name) == ["first"] && rest.missingStores.keys.sorted() == ["second"])
    let unknown = await #expect(throws: FollowspotError.self) { try await group.log(of: "robot", after: ["third": 1]) }
    #expect(unknown?.code == .usage && unknown?.knownNames.sorted() == ["first", "plain", "second"])
  }

  @Test func `objects that are indexed in part are listed`() async throws {
    let cinema = try Cinema()
    let long = String(repeating: "x", count: 80)
    let films = try cinema.save(Film("Up", year: 2009), Film("Robot \(long)", year: 2010))
    try await cinema.index.update()
    let failed = try await cinema.index.failedObjects()
    #expect(failed.map(\.id) == [films[1].persistentModelID.uriRepresentation])
    #expect(failed.map(\.kind) == [.truncated] && failed.map(\.entityName) == ["Film"])
    #expect(failed.first?.reason == "words truncated to 64 bytes: 1")
    films[1].title = "Robot"
    try cinema.context.save()
    try await cinema.index.update()
    #expect(try await cinema.index.failedObjects().isEmpty)
  }
}
