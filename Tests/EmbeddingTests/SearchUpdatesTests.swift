// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SwiftData
import Synchronization
import TestSupport
import Testing

/// Results that follow the saves.
@Suite(.overlapping, .temporaryDirectory)
struct SearchUpdatesTests {
  /// A list as a view keeps it: changed by the positions of the updates alone.
  private struct List {
    var titles: [String] = []

    mutating func apply(_ update: SearchUpdate) {
      let old = titles
      for position in (update.removed + update.moved.map(\.from)).sorted(by: >) { titles.remove(at: position) }
      let fresh = update.answer.hits.map(\.title)
      let added = update.inserted.map { ($0, fresh[$0]) } + update.moved.map { ($0.to, old[$0.from]) }
      for (position, title) in added.sorted(by: { $0.0 < $1.0 }) { titles.insert(title, at: position) }
      for position in update.changed { titles[position] = fresh[position] }
    }
  }

  /// A view that shows a sequence.
  private struct View {
    var updates: SearchUpdates.Iterator
    var list = List()

    init(_ updates: SearchUpdates) { self.updates = updates.makeAsyncIterator() }

    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> SearchUpdate {
      let next = try await updates.next(isolation: isolation)
      let update = try #require(next)
      list.apply(update)
      #expect(list.titles == update.answer.hits.map(\.title))
      return update
    }
  }

  @Test func `each update leads from the list before to the answer, whoever saves`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001), Film("Film C", year: 2003))
    try await cinema.index.update()
    var query = SearchQuery("film", limit: nil)
    query.sort = [.init("year")]
    var view = View(cinema.index.results(of: query))
    let first = try await view.next()
    #expect(first.isFirst && first.inserted == [0, 1] && first.removed.isEmpty && first.changed.isEmpty)

    try cinema.save(Film("Film B", year: 2002))
    let inserted = try await view.next()
    #expect(inserted.inserted == [1])
    try cinema.shell.succeed("set", "Film/p1", "title=Film A2")
    let changed = try await view.next()
    #expect(changed.changed == [0] && changed.inserted.isEmpty && changed.removed.isEmpty && !changed.isFirst)
    let film = try cinema.film("Film B")
    film.year = 2009
    try cinema.context.save()
    let moved = try await view.next()
    #expect(moved.moved.count == 1 && moved.changed == [2])
    try cinema.shell.succeed("delete", "Film/p1")
    let removed = try await view.next()
    #expect(removed.removed == [0])
    // The index is rebuilt meanwhile: the hits stay.
    try await cinema.index.rebuild()
    try cinema.save(Film("Film Z", year: 2050))
    let last = try await view.next()
    #expect(last.inserted == [2])
    #expect(view.list.titles == ["Film C", "Film B", "Film Z"])
  }

  @Test func `a save that nobody sees in the result gives no update`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001))
    try await cinema.index.update()
    var updates = cinema.index.results(of: "title:film").makeAsyncIterator()
    _ = try await updates.next()
    for number in 0..<5 { try cinema.save(Film("Other \(number)", year: 2000)) }
    try cinema.save(Film("Film B", year: 2001))
    let next = try await updates.next()
    let update = try #require(next)
    #expect(update.answer.token >= 2 && update.inserted.count == 1)
    #expect(update.answer.hits.map(\.title).sorted() == ["Film A", "Film B"])
  }

  @Test func `many saves between two elements are one update`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001))
    try await cinema.index.update()
    var updates = cinema.index.results(of: SearchQuery("film", limit: 10)).makeAsyncIterator()
    _ = try await updates.next()
    for number in 0..<300 { try cinema.save(Film("Film \(number)", year: 2000)) }
    let next = try await updates.next()
    let update = try #require(next)
    #expect(update.answer.matches == 301 && update.answer.hits.count == 10)
    #expect(update.removed.count + update.inserted.count <= 20)
  }

  @Test func `the sequence ends with its task or its iterator, and leaves no file open`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001))
    try await cinema.index.update()
    func count() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.filter { isOfCinema($0) }.count ?? 0
    }
    func isOfCinema(_ descriptor: String) -> Bool {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
      return target?.hasPrefix(cinema.directory.path) == true
    }
    _ = try await cinema.index.search("film")
    let before = count()
    for round in 0..<12 {
      let task = Task { [index = cinema.index] in
        var count = 0
        for try await _ in index.results(of: "film") { count += 1 }
        return count
      }
      if round.isMultiple(of: 2) { try await Task.sleep(for: .milliseconds(round * 10)) }
      task.cancel()
      #expect(try await task.value <= 1)
    }
    // An iterator that is dropped after its first element.
    for _ in 0..<5 {
      for try await update in cinema.index.results(of: "film") {
        #expect(update.isFirst)
        break
      }
    }
    #expect(await waitUntil { count() <= before })
  }

  @Test func `an invalid query and a missing index end the sequence with an error`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001))
    var updates = cinema.index.results(of: "film").makeAsyncIterator()
    do {
      _ = try await updates.next()
      Issue.record("there is no index")
    } catch { #expect(error.code == .indexMissing) }
    #expect(try await updates.next() == nil)
    try await cinema.index.update()
    var wrong = cinema.index.results(of: "film (").makeAsyncIterator()
    do {
      _ = try await wrong.next()
      Issue.record("the query is not valid")
    } catch { #expect(error.code == .query && error.queryOffset == 5) }
  }

  @Test func `the sequence goes on when the store was deleted and comes back`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film A", year: 2001))
    try await cinema.index.update()
    let seen = Mutex<[[String]]>([])
    let reader = Task { [index = cinema.index] in
      for try await update in index.results(of: "film") {
        seen.withLock { $0.append(update.answer.hits.map(\.title)) }
      }
    }
    #expect(await waitUntil { seen.withLock { $0.last } == ["Film A"] })
    let path = cinema.store.path
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.moveItem(atPath: path + end, toPath: path + ".away" + end)
    }
    let other = try ModelContainer(for: Film.self, Studio.self, configurations: ModelConfiguration(url: cinema.store))
    let context = ModelContext(other)
    context.insert(Film("Film of another store", year: 2020))
    try context.save()
    try await cinema.index.update()
    #expect(await waitUntil { seen.withLock { $0.last } == ["Film of another store"] })
    reader.cancel()
    try await reader.value
  }

  @Test(arguments: Rounds.seeds(2, long: 40))
  func `a list that is updated beside random saves equals the answer`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: seed)
    let cinema = try Cinema()
    try cinema.saveMany(30)
    try await cinema.index.update()
    var query = SearchQuery("robot", limit: 12)
    query.sort = [.init("year", descends: true), .init("title")]
    var view = View(cinema.index.results(of: query))
    _ = try await view.next()
    for round in 0..<40 {
      var films = try cinema.context.fetch(FetchDescriptor<Film>())
      films.shuffle(using: &random)
      for film in films.prefix(Int.random(in: 1...4, using: &random)) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: cinema.context.delete(film)
        case 1: film.title += "'"
        case 2: film.year = Int.random(in: 1980...2020, using: &random)
        default: cinema.context.insert(Film("New \(round)-\(film.title)", year: 2000 + round, tags: ["robot"]))
        }
      }
      // This one is always in the result, so that there is an update.
      cinema.context.insert(Film("Round \(round)", year: 3000 + round, tags: ["robot"]))
      try cinema.context.save()
      if round % 7 == 0 { try await cinema.index.update() }
      let token = try #require(Int64(cinema.rows("SELECT MAX(Z_PK) FROM ATRANSACTION")[0][0]))
      while try await view.next().answer.token < token {}
      let rows = try cinema.rows("SELECT ZTITLE FROM ZFILM ORDER BY ZYEAR DESC, ZTITLE COLLATE NOCASE LIMIT 12")
      #expect(view.list.titles == rows.map { $0[0] }, "seed \(seed), round \(round)")
    }
  }

  private static func list(_ answer: SearchAnswer) -> [String] {
    answer.hits.map { $0.id + $0.title } + ["\(answer.matches)"]
  }

  @Test(arguments: Rounds.seeds(2, long: 40))
  func `lists of all kinds of queries beside random saves end with the answers`(_ seed: Int) async throws {
    var random = SeededGenerator(seed: seed)
    let cinema = try Cinema()
    let studios = ["Amber studio", "Birch studio", "Cedar house"].map(Studio.init)
    let words = ["robot", "river", "stone", "night", "garden"]
    func title() -> String { (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ") }
    for number in 0..<60 {
      cinema.context.insert(
        Film("\(title()) \(number)", year: 2000, tags: [words[number % 5]], studio: studios[number % 3]))
    }
    try cinema.context.save()
    try await cinema.index.update()
    var queries: [SearchQuery] = [
      "robot", "robot river", "\"stone night\"", "gard*", "title:river -night", "tags:stone", "kind:Studio", "*",
      "studio.name:birch", "amber OR cedar", "rivr", "kind:Film (robot OR unseen)", "NEAR(robot,stone)", "unseen",
      "robot*",
    ].map { SearchQuery($0, limit: 15) }
    queries.append(SearchQuery("river", limit: nil))
    queries[0].sort = [.init("title")]
    queries[8].facets = ["tags"]
    let seen = Shared<[Int: [String]]>([:])
    let readers = queries.enumerated().map { number, query in
      Task { [index = cinema.index] in
        for try await update in index.results(of: query) {
          let list = Self.list(update.answer)
          seen.change { $0[number] = list }
        }
      }
    }
    let follower = seed % 2 == 0 ? Task { [index = cinema.index] in try await index.follow() } : nil
    for _ in 0..<60 {
      let films = try cinema.context.fetch(FetchDescriptor<Film>()).shuffled(using: &random)
      for film in films.prefix(Int.random(in: 1...2, using: &random)) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: cinema.context.delete(film)
        case 1: film.title = "\(title()) \(UInt32.random(in: 0..<1_000_000, using: &random))"
        case 2: film.tags = [words.randomElement(using: &random) ?? ""]
        case 3: film.studio = studios.randomElement(using: &random)
        case 4: studios[0].name = "Amber \(title())"
        default: cinema.context.insert(Film("\(title()) \(UUID())", year: 2001, studio: studios[1]))
        }
      }
      try cinema.context.save()
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<20, using: &random)))
    }
    if let follower {
      follower.cancel()
      try await follower.value
    }
    for (number, query) in queries.enumerated() {
      let answer = Self.list(try await cinema.index.search(query))
      #expect(await waitUntil { seen.value[number] == answer }, "seed \(seed): \(query.text)")
    }
    for reader in readers {
      reader.cancel()
      try await reader.value
    }
  }
}
