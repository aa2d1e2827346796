// SPDX-License-Identifier: MIT

internal import FollowspotModels
internal import Foundation
internal import SwiftData
internal import Synchronization
internal import TestSupport

@Model final class Movie {
  var title: String
  var year: Int
  var cast: [String]
  var genres: [String]
  var extract: String

  init(_ film: ProgramBenchmark.Film) {
    (title, year, cast, genres, extract) = (film.title, film.year, film.cast, film.genres, film.extract ?? "")
  }
}

/// Measures a program that searches its own store: calls of the modules instead of processes.
struct ProgramBenchmark {
  struct Film: Decodable {
    let title: String
    let year: Int
    let cast: [String]
    let genres: [String]
    let extract: String?
  }

  static let usage = """
    program: Search one store and groups in a program that has the films of the directory FOLLOWSPOT_DATA, ROUNDS times
    (default: 200), and follow 100 live queries during SECONDS of 100 saves a second (default: 30).
    """

  let rounds: Int
  let seconds: Int
  let directory: URL

  private static let queries = ["toy story", "cast:hanks year:1985..1995", "love"]

  func run() async throws {
    guard let data = Shell.dataDirectory else { throw MeasuringProgram.refusal("FOLLOWSPOT_DATA is not set") }
    let films = try String(contentsOfFile: data + "/movies-1970-2023.jsonl", encoding: .utf8)
      .split(separator: "\n").map { try JSONDecoder().decode(Film.self, from: Data($0.utf8)) }
    print("| what, \(films.count) films | median | 95th percentile |\n| --- | --- | --- |")
    let (container, index) = try await store("films", films)
    try await search(index, container)
    for count in [3, 30, 100] { try await group(of: count, films) }
    try await difference(index, container)
    try await liveQueries(index, container)
  }

  private func store(_ name: String, _ films: some Sequence<Film>) async throws -> (ModelContainer, StoreIndex) {
    let url = directory.appendingPathComponent("\(name).store")
    let container = try ModelContainer(
      for: Schema([Movie.self]), configurations: [ModelConfiguration(url: url)])
    let context = ModelContext(container)
    for film in films { context.insert(Movie(film)) }
    try context.save()
    let index = StoreIndex(of: url)
    try await index.update()
    return (container, index)
  }

  private func search(_ index: StoreIndex, _ container: ModelContainer) async throws {
    let context = ModelContext(container)
    for query in Self.queries {
      try await report("search of '\(query)', 20 hits") { _ in _ = try await index.search(query) }
    }
    for limit in [20, 200] {
      var sum = 0
      try await report("typed search of 'love', \(limit) objects with their titles") { _ in
        for movie in try await ModelContext(container).search(Movie.self, "love", limit: limit, in: index) {
          sum += movie.title.utf8.count
        }
      }
      try await report("the same in a context that has them") { _ in
        for movie in try await context.search(Movie.self, "love", limit: limit, in: index) {
          sum += movie.title.utf8.count
        }
      }
    }
  }

  private func group(of count: Int, _ films: [Film]) async throws {
    var members: [StoreGroup.Member] = []
    for number in 0..<count {
      let part = films.indices.filter { $0 % count == number }.map { films[$0] }
      members.append(.init("part\(number)", try await store("group\(count)-\(number)", part).1))
    }
    let group = try StoreGroup(members)
    for query in Self.queries {
      try await report("search of '\(query)' in the same films in \(count) stores") { _ in
        _ = try await group.search(SearchQuery(query))
      }
    }
  }

  /// From the call of a save to the arrival of the difference at who iterates.
  private func difference(_ index: StoreIndex, _ container: ModelContainer) async throws {
    let context = ModelContext(container)
    let movies = try context.fetch(FetchDescriptor<Movie>())
    let follower = Task { try await index.follow() }
    var updates = index.results(of: SearchQuery("benchword", limit: 20)).makeAsyncIterator()
    _ = try await updates.next()
    var saved = ContinuousClock.now
    let times = try await samples(rounds * 5) { number in
      movies[number].title += " benchword"
      saved = .now
      try context.save()
      _ = try await updates.next()
    } since: {
      saved
    }
    report("save to its difference, with the save", times)
    follower.cancel()
    _ = await follower.result
  }

  /// 100 queries that change now and then, while 100 saves a second come, against the same saves and their indexing alone.
  private func liveQueries(_ index: StoreIndex, _ container: ModelContainer) async throws {
    let follower = Task { try await index.follow() }
    let alone = try await saving("alone", in: container).processor
    let arrived = Counter()
    let live = (0..<100).map { number in
      Task {
        for try await _ in index.results(of: SearchQuery("live\(number)", limit: 20)) { arrived.add() }
      }
    }
    while arrived.count < live.count { try await Task.sleep(for: .milliseconds(10)) }
    let (both, residents) = try await saving("shown", in: container)
    print(
      String(
        format:
          "\n100 saves a second for %d s: %.0f %% of a core with the follower, %.0f %% more with 100 live queries",
        seconds, alone * 100, (both - alone) * 100))
    print("\(arrived.count - live.count) updates; resident memory each minute, in MB: \(residents)")
    for task in live + [follower] { task.cancel() }
    for task in live + [follower] { _ = await task.result }
  }

  /// - Returns: The share of a core that the process needs, and its memory after each minute.
  private func saving(
    _ word: String, in container: ModelContainer
  ) async throws -> (processor: Double, residents: [Int]) {
    let context = ModelContext(container)
    let movies = try context.fetch(FetchDescriptor<Movie>())
    let (start, processor) = (ContinuousClock.now, Self.processorSeconds())
    var residents: [Int] = []
    for save in 0..<(seconds * 100) {
      movies[save % movies.count].title = "the film live\(save % 1_000) \(word)"
      try context.save()
      if save % 6_000 == 5_999 || save == seconds * 100 - 1 { residents.append(Self.resident()) }
      try await Task.sleep(until: start + .milliseconds(10) * (save + 1))
    }
    return ((Self.processorSeconds() - processor) / ((ContinuousClock.now - start) / .seconds(1)), residents)
  }

  private final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  // MARK: Measuring

  private func report(_ what: String, _ body: (Int) async throws -> Void) async throws {
    var start = ContinuousClock.now
    report(
      what,
      try await samples(rounds) { number in
        start = .now
        try await body(number)
      } since: {
        start
      })
  }

  /// The seconds of each round from what `since` gives, ascending.
  private func samples(
    _ rounds: Int, _ body: (Int) async throws -> Void, since: () -> ContinuousClock.Instant
  ) async throws -> [Double] {
    var times: [Double] = []
    for round in 0..<rounds {
      try await body(round)
      times.append((ContinuousClock.now - since()) / .seconds(1))
    }
    return times.sorted()
  }

  private func report(_ what: String, _ times: [Double]) {
    let (median, late) = (times[times.count / 2], times[times.count * 95 / 100])
    print(String(format: "| %@ | %.2f ms | %.2f ms |", what, median * 1_000, late * 1_000))
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096 / 1_000_000
  }
}
