// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

/// Programs that cancel, release and replace at the wrong moment. Run with the thread sanitizer, too.
@Suite(.overlapping, .temporaryDirectory)
struct BadUseTests {
  private let directory = TemporaryDirectory()

  private func execute(_ sql: String, in name: String) throws {
    try Connection(path: directory.file(name), access: .create).execute(sql)
  }

  /// A call of each kind, and whether its result is right for `count` films of the year 2000.
  private static let calls: [(name: String, run: @Sendable (StoreIndex, Int) async throws -> Bool)] = [
    ("update", { index, _ in try await index.update() > 0 }),
    ("search", { index, count in try await index.search("year:2000", limit: nil).matches == count }),
    ("count", { index, count in try await index.count("year:2000").matches == count }),
    ("suggestions", { index, _ in try await !index.suggestions(for: "rob").isEmpty }),
    ("explain", { index, _ in try await index.explain("Film/p1", "robot") != nil }),
    ("rows", { index, count in try await index.rows(of: "SELECT title FROM Film").rows.count == count }),
    ("log", { index, _ in try await !index.log(of: "robot").transactions.isEmpty }),
    ("difference", { index, count in try await index.difference(of: "robot", from: 0).changes.count == count }),
    ("schema", { index, _ in try await !index.schema().entities.isEmpty }),
    ("status", { index, _ in try await index.status().index != nil }),
    ("verify", { index, _ in try await index.verify().isEqual }),
    (
      "rebuild",
      { index, _ in
        try await index.rebuild()
        return true
      }
    ),
    (
      "results",
      { index, count in
        for try await update in index.results(of: SearchQuery("year:2000", limit: nil)) {
          return update.answer.matches == count
        }
        throw CancellationError()
      }
    ),
    (
      "changes",
      { index, _ in
        for try await change in index.changes(follows: false) { return !change.id.isEmpty }
        throw CancellationError()
      }
    ),
  ]

  private func cinema(films: Int) async throws -> Cinema {
    let cinema = try Cinema(
      definition: """
        {"entities": {"Film": {"title": "title", "fields": [
          {"name": "title", "roles": ["text"]}, {"name": "year", "roles": ["number"]}]}}}
        """)
    for number in 0..<films { cinema.context.insert(Film("Robot \(number)", year: 2000)) }
    try cinema.context.save()
    try await cinema.index.update()
    return cinema
  }

  @Test(arguments: Rounds.seeds(1, full: 4, long: 20))
  func `each call that is cancelled at any moment gives its result or ends, and the next one is right`(
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let cinema = try await cinema(films: 40)
    for round in 0..<Rounds.count(56, full: 1_000, long: 1_000) {
      let call = Self.calls[round % Self.calls.count]
      let task = Task { [index = cinema.index] in try await call.run(index, 40) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<8_000, using: &random)))
      task.cancel()
      do { #expect(try await task.value, "\(call.name), seed \(seed), round \(round)") } catch {
        #expect(error is CancellationError, "\(call.name), seed \(seed), round \(round): \(error)")
      }
    }
    for call in Self.calls { #expect(try await call.run(cinema.index, 40), "\(call.name)") }
  }

  @Test func `a handle that is released in the middle of a call`() async throws {
    let cinema = try await cinema(films: 40)
    for call in Self.calls {
      weak var released: StoreIndex?
      let task: Task<Bool, any Error>
      do {
        let index = StoreIndex(of: cinema.store)
        released = index
        task = Task { try await call.run(index, 40) }
      }
      #expect(try await task.value, "\(call.name)")
      #expect(await waitUntil { released == nil }, "\(call.name)")
    }
  }

  @Test func `many handles at once answer, and leave no file open`() async throws {
    let cinema = try await cinema(films: 40)
    func open() -> [String] {
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return descriptors.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
      }
      .filter { $0.hasPrefix(cinema.directory.path) }
    }
    /// Fifty handles at once, one of ten for a live answer.
    func useHandles() async throws {
      try await withThrowingTaskGroup(of: Int.self) { tasks in
        for number in 0..<50 {
          tasks.addTask { [store = cinema.store] in
            let index = StoreIndex(of: store)
            guard number % 10 > 0 else {
              for try await update in index.results(of: "robot") { return update.answer.matches }
              return -1
            }
            return try await index.search("robot").matches
          }
        }
        for try await matches in tasks { #expect(matches == 40) }
      }
    }
    // SQLite keeps the descriptors of closed connections to a file that another connection of the process has locked, and
    // uses them again: as many as there were at once.
    let others = open().filter { $0 != cinema.store.path }
    for _ in 0..<Rounds.count(4, full: 20, long: 100) { try await useHandles() }
    func left() -> Int { open().filter { $0 != cinema.store.path }.count }
    #expect(await waitUntil { left() <= others.count }, "\(open())")
    #expect(open().count <= others.count + 60, "\(open())")
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 20))
  func `a store that is replaced, deleted, migrated or locked meanwhile gives an answer or says why not`(
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let path = directory.file("books.sqlite")
    let index = StoreIndex(of: URL(fileURLWithPath: path))
    var books = 0
    func make(_ path: String) throws {
      books = Int.random(in: 1...30, using: &random)
      let connection = try Connection(path: path, access: .create)
      try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT)")
      for number in 1...books { try connection.execute("INSERT INTO books VALUES(\(number), 'robot \(number)')") }
    }
    func remove() { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
    try make(path)
    try await index.update()
    let isOver = Shared(false)
    let errors = Shared<[FollowspotError.Code: String]>([:])
    let readers = (0..<4).map { number in
      Task {
        while !isOver.value {
          do {
            if number == 0 {
              for try await _ in index.results(of: "robot") where isOver.value { break }
            } else if number == 1 {
              _ = try await index.update()
            } else {
              _ = try await index.search("robot", limit: nil)
            }
          } catch let error as FollowspotError { errors.change { $0[error.code] = error.message } }
        }
      }
    }
    for _ in 0..<Rounds.count(16, full: 100, long: 400) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        remove()
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30, using: &random)))
        try make(path)
      case 1:
        try make(path + ".new")
        remove()
        for end in ["-wal", "-shm", ""] { rename(path + ".new" + end, path + end) }
      case 2:
        try Connection(path: path, access: .readWrite).execute(
          "ALTER TABLE books ADD COLUMN c\(Int.random(in: 0..<1_000_000, using: &random)) TEXT DEFAULT 'river'")
      default:
        let writer = try Connection(path: path, access: .readWrite)
        try writer.execute("BEGIN EXCLUSIVE; UPDATE books SET title = title || ' stone'")
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30, using: &random)))
        try writer.execute("COMMIT")
      }
    }
    isOver.change { $0 = true }
    for reader in readers.dropFirst() { try await reader.value }
    readers[0].cancel()
    _ = try? await readers[0].value
    let unexpected = errors.value.filter { ![.storeMissing, .storeUnusable, .busy, .locked, .file].contains($0.key) }
    #expect(unexpected.isEmpty, "seed \(seed)")
    try await index.update()
    #expect(try await index.search("robot", limit: nil).matches == books, "seed \(seed)")
    #expect(try await index.verify().isEqual, "seed \(seed)")
  }

  @Test func `a sequence that nobody reads while many saves come needs no memory, and joins them`() async throws {
    let cinema = try await cinema(films: 40)
    let follower = Task { [index = cinema.index] in try await index.follow() }
    var sequences = (0..<20).map { _ in cinema.index.results(of: "year:2000").makeAsyncIterator() }
    for number in sequences.indices { _ = try await sequences[number].next() }
    let film = try cinema.film("Robot 1")
    func save(_ rounds: Range<Int>) throws {
      for number in rounds {
        film.year = 2000 + number % 2
        try cinema.context.save()
      }
    }
    let rounds = Rounds.count(900, full: 20_000, long: 100_000)
    try save(0..<(rounds / 3))
    let before = try residentMegabytes()
    try save((rounds / 3)..<rounds)
    // Other tests run in this process: what 100,000 answers would need is much more.
    #expect(try residentMegabytes() < before + 300)
    film.year = 2050
    try cinema.context.save()
    for number in sequences.indices {
      let update = try #require(try await sequences[number].next())
      #expect(update.answer.matches == 39 && update.removed.count == 1)
    }
    follower.cancel()
    try await follower.value
  }

  private func residentMegabytes() throws -> Int {
    let sizes = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(sizes[1])) * 4_096 / 1_000_000
  }

  @Test func `a member of a group whose model changes stays in its live results`() async throws {
    var members: [StoreGroup.Member] = []
    for name in ["a", "b"] {
      try execute(
        "CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books VALUES(1, 'Robot')", in: name)
      members.append(.init(name, StoreIndex(of: URL(fileURLWithPath: directory.file(name)))))
    }
    let group = try StoreGroup(members)
    try await group.update()
    var updates = group.results(of: SearchQuery("robot", limit: nil)).makeAsyncIterator()
    #expect(try await updates.next()?.answer.matches == 2)
    try execute("ALTER TABLE books ADD COLUMN shelf TEXT; INSERT INTO books VALUES(2, 'Robot two', 'north')", in: "b")
    var update = try #require(try await updates.next())
    while update.answer.matches != 3 { update = try #require(try await updates.next()) }
    try execute("CREATE TABLE films(id INTEGER PRIMARY KEY, title TEXT)", in: "a")
    try execute("INSERT INTO films VALUES(1, 'Robot film')", in: "a")
    try await group.update()
    while update.answer.matches != 4 { update = try #require(try await updates.next()) }
    #expect(Set(update.answer.hits.map(\.entityName)) == ["books", "films"])
    try execute("DROP TABLE books", in: "a")
    try await group.update()
    while update.answer.matches != 3 { update = try #require(try await updates.next()) }
    #expect(update.answer.missing.isEmpty)
  }

  @Test func `answers that wait together end and fail each for itself`() async throws {
    var members: [StoreGroup.Member] = []
    for name in ["a", "b"] {
      let column = name == "a" ? "shelf" : "room"
      try execute("CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT, \(column) TEXT)", in: name)
      for number in 1...12 {
        try execute(
          "INSERT INTO books VALUES(\(number), 'Robot \(name)', '\(number % 2 == 0 ? "north" : "south")')", in: name)
      }
      members.append(.init(name, StoreIndex(of: URL(fileURLWithPath: directory.file(name)))))
    }
    let group = try StoreGroup(members)
    try await group.update()
    let queries = [
      "robot", "@store:a robot", "shelf:north", "kind:books", "robot -stone", "*bot", "27", "film (",
    ]
    let seen = Shared<[String: Int]>([:])
    let errors = Shared<[String: FollowspotError.Code]>([:])
    let readers = queries.map { text in
      Task {
        do throws(FollowspotError) {
          for try await update in group.results(of: SearchQuery(text, limit: nil)) {
            seen.change { $0[text] = update.answer.matches }
          }
        } catch { errors.change { $0[text] = error.code } }
      }
    }
    var counts = [
      "robot": 24, "@store:a robot": 12, "shelf:north": 6, "kind:books": 24, "robot -stone": 24, "*bot": 24, "27": 0,
    ]
    #expect(await waitUntil { seen.value == counts }, "\(seen.value)")
    try execute("INSERT INTO books VALUES(27, 'Robot stonework', 'south')", in: "b")
    counts.merge(["robot": 25, "kind:books": 25, "robot -stone": 25, "*bot": 25, "27": 1]) { $1 }
    #expect(await waitUntil { seen.value == counts }, "\(seen.value)")
    // For a while, one of the files is no database.
    let file = URL(fileURLWithPath: directory.file("a"))
    let whole = try Data(contentsOf: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(repeating: 0x20, count: whole.count))
    try await Task.sleep(for: .milliseconds(300))
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: whole)
    try handle.close()
    try execute("INSERT INTO books VALUES(13, 'Robot c', 'south')", in: "a")
    counts.merge(["robot": 26, "@store:a robot": 13, "kind:books": 26, "robot -stone": 26, "*bot": 26]) { $1 }
    #expect(await waitUntil { seen.value == counts }, "\(seen.value)")
    #expect(errors.value == ["film (": .query])
    for reader in readers {
      reader.cancel()
      await reader.value
    }
  }
}
