// SPDX-License-Identifier: MIT

import Followspot
import SearchIndex
import SwiftData
import Synchronization
import TestSupport
import Testing

/// Followers inside the process that saves.
@Suite(.overlapping, .temporaryDirectory)
struct StoreIndexFollowTests {
  /// The transactions that a follower has reported.
  private final class Reached: Sendable {
    private let numbers = Mutex<[Int64]>([])
    func note(_ number: Int64) { numbers.withLock { $0.append(number) } }
    var all: [Int64] { numbers.withLock { $0 } }
  }

  @Test func `a follower indexes new saves, and ends with its task`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let reached = Reached()
    let follower = Task { [index = cinema.index] in try await index.follow { reached.note($0) } }
    for number in 0..<20 {
      try cinema.save(Film("Reel \(number)", year: 1990 + number))
      if number % 5 == 4 {
        #expect(try await cinema.index.update() >= Int64(number + 2))
        #expect(try await cinema.titles("reel").count == number + 1)
      }
    }
    cinema.context.delete(try cinema.film("Up"))
    try cinema.context.save()
    try await cinema.index.update()
    #expect(try await cinema.titles("up") == [])
    #expect(try await cinema.index.search("*").token == 22)
    // On a busy machine, the follower begins late.
    for _ in 0..<1_200 where reached.all.last != 22 { try await Task.sleep(for: .milliseconds(100)) }
    follower.cancel()
    try await follower.value
    #expect(reached.all == reached.all.sorted())
    #expect(Set(reached.all).count == reached.all.count)
    #expect(reached.all.last == 22)
    try cinema.expectEqual(documents: 20)
  }

  @Test func `a follower indexes saves of another process with their author`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let follower = Task { [index = cinema.index] in try await index.follow() }
    try cinema.shell.succeed("set", "Film/p1", "title=Cloud nine", "--author", "projectionist")
    try await cinema.index.update()
    let hit = try #require(try await cinema.index.search("cloud").hits.first)
    #expect(try await cinema.titles("up") == [])
    let history = try cinema.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["cinema", "projectionist"])
    #expect(history.last?.changes.map(\.changedPersistentIdentifier.uriRepresentation) == [hit.id])
    _ = try cinema.context.fetch(FetchDescriptor<Film>())
    #expect(try cinema.object(of: hit, as: Film.self).title == "Cloud nine")
    follower.cancel()
    try await follower.value
  }

  @Test func `a followspot process updates the index that this process searches`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let follower = try cinema.shell.start(["index", "--follow"])
    try #require(follower.waitForError("following "), "\(follower.errors)")
    try cinema.save(Film("Coco", year: 2017))
    #expect(try await cinema.index.update() == 2)
    #expect(try await cinema.titles("*") == ["Coco", "Up"])
    // This process continues when the other one has ended.
    let own = Task { [index = cinema.index] in try await index.follow() }
    #expect(follower.end().code == 0)
    try cinema.save(Film("Soul", year: 2020))
    try await cinema.index.update()
    #expect(try await cinema.titles("*") == ["Coco", "Soul", "Up"])
    own.cancel()
    try await own.value
  }

  @Test func `searches run concurrently while objects are saved and indexed`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Film", year: 1990))
    try await cinema.index.update()
    let follower = Task { [index = cinema.index] in try await index.follow() }
    let searchers = (0..<8).map { _ in
      Task { [index = cinema.index] in
        var most = 0
        for _ in 0..<25 {
          let found = try await index.search("film", limit: nil).hits.count
          guard found >= most else { return false }
          most = found
        }
        return true
      }
    }
    for number in 0..<40 { try cinema.save(Film("Film \(number)", year: 1990)) }
    for searcher in searchers { #expect(try await searcher.value) }
    try await cinema.index.update()
    #expect(try await cinema.titles("film").count == 41)
    follower.cancel()
    try await follower.value
  }

  @Test func `a second follower is told of the progress of the first, and takes over`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let (first, second) = (Reached(), Reached())
    let one = Task { [index = cinema.index] in try await index.follow { first.note($0) } }
    try await reaches(1, first)
    let other = Task { [store = cinema.store] in try await StoreIndex(of: store).follow { second.note($0) } }
    try await reaches(1, second)
    for number in 2...6 {
      try cinema.save(Film("Film \(number)", year: 2009))
      try await reaches(Int64(number), first)
      try await reaches(Int64(number), second)
    }
    one.cancel()
    try await one.value
    try cinema.save(Film("Soul", year: 2020))
    try await reaches(7, second)
    #expect(first.all.last == 6)
    other.cancel()
    try await other.value
    for reached in [first.all, second.all] {
      #expect(reached == reached.sorted() && Set(reached).count == reached.count)
    }
  }

  @Test func `a follower is told of the progress of the program`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let follower = try cinema.shell.start(["index", "--follow"])
    try #require(follower.waitForError("following "), "\(follower.errors)")
    let reached = Reached()
    let own = Task { [index = cinema.index] in try await index.follow { reached.note($0) } }
    try await reaches(1, reached)
    try cinema.save(Film("Coco", year: 2017))
    try await reaches(2, reached)
    #expect(follower.end().code == 0)
    own.cancel()
    try await own.value
  }

  /// On a busy machine, a follower needs time.
  private func reaches(_ number: Int64, _ reached: Reached) async throws {
    for _ in 0..<6_000 where reached.all.last != number { try await Task.sleep(for: .milliseconds(20)) }
    try #require(reached.all.last == number)
  }

  @MainActor @Test func `an update that waits does not block the main actor, and cancellation ends it`() async throws {
    let cinema = try Cinema()
    try cinema.save(Film("Up", year: 2009))
    let directory = IndexDirectory(path: cinema.index.directory.path)
    try directory.make(rightsOf: cinema.index.store.path)
    // The lock is held by a process that makes no progress.
    var lock: FileLock? = try FileLock(.update, in: directory, verb: "test")
    let index = cinema.index
    let cancelled = Task { try await index.update() }
    let patient = Task { try await index.update() }
    // If an update blocked the main actor's thread, this line would never be reached.
    await Task.yield()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(try await patient.value == 1)
    #expect(try await cinema.titles("up") == ["Up"])
  }

  @Test func `a cancelled build does not leave an index`() async throws {
    let cinema = try Cinema()
    for number in 0..<1_000 { cinema.context.insert(Film("Film \(number)", year: 1990)) }
    try cinema.context.save()
    let cancelled = Task { [index = cinema.index] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await index.update()
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let error = await #expect(throws: FollowspotError.self) { try await cinema.index.search("film") }
    #expect(error?.code == .indexMissing)
    #expect(try await cinema.index.update() == 1)
    #expect(try await cinema.index.search("film").matches == 1_000)
  }
}
