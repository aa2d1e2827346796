// SPDX-License-Identifier: MIT

internal import CRowLoop
internal import SwiftData
internal import TestSupport

@Model final class Entry {
  var title: String
  var detail: String
  #Index<Entry>([\.year])
  var year: Int
  var score: Double
  var added: Date
  var isSeen: Bool

  init(_ index: Int) {
    title = "\(Entry.title) \(index)"
    detail = Entry.detail
    year = 1_900 + index % 120
    score = Double(index) / 7
    added = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(index))
    isSeen = index % 2 == 1
  }

  static let title = "The story of a lamp that followed a dancer"
  static let detail = "A short tale of light and shadow, told on one stage by two who never met"
}

/// Measures objects against plain SQLite statements in C that write and read the same rows, side by side in one run.
/// Build with `-c release --static-swift-stdlib`.
@main
enum ModelBenchmarks {
  static let usage = """
    usage: ModelBenchmarks [ROWS [TARGET [ROUNDS]]]
           ModelBenchmarks relationships [ROUNDS [SIZE]...]
           ModelBenchmarks program [ROUNDS [SECONDS]]

    Measure SwiftData on ROWS objects (default: 100000), ROUNDS times (default: 5). TARGET is the beginning of the names of
    the targets to measure (default: all).

    targets:
    \(ModelBenchmark.targets.map { "  " + $0 }.joined(separator: "\n"))

    relationships: Change to-many relationships of SIZE objects (default: 1000 10000 100000) beside plain arrays, ROUNDS times
    (default: 3).

    \(ProgramBenchmark.usage)
    """

  static func main() async { await MeasuringProgram.run(usage: usage, run) }

  private static func run(_ arguments: [String]) async throws {
    let arguments = try MeasuringProgram.divided(arguments, options: []).others
    func number(_ index: Int, _ name: String) throws -> Int? {
      try arguments.indices.contains(index) ? MeasuringProgram.number(arguments[index], for: name) : nil
    }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("followspot-models-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    if arguments.first == "relationships" {
      let sizes = try arguments.dropFirst(2).map { try MeasuringProgram.number($0, for: "SIZE") }
      return try RelationshipBenchmark(
        sizes: sizes.isEmpty ? [1_000, 10_000, 100_000] : sizes, rounds: number(1, "ROUNDS") ?? 3, directory: directory
      ).run()
    }
    if arguments.first == "program" {
      let (rounds, seconds) = try (number(1, "ROUNDS") ?? 200, number(2, "SECONDS") ?? 30)
      return try await ProgramBenchmark(rounds: rounds, seconds: seconds, directory: directory).run()
    }
    guard arguments.count <= 3 else { throw MeasuringProgram.refusal("there are more than three arguments") }
    let (rows, rounds) = try (number(0, "ROWS") ?? 100_000, number(2, "ROUNDS") ?? 5)
    let only = arguments.count > 1 ? arguments[1] : ""
    guard ModelBenchmark.targets.contains(where: { $0.hasPrefix(only) }) else {
      throw MeasuringProgram.refusal("no target begins with '\(only)'")
    }
    try ModelBenchmark(rows: rows, only: only, rounds: rounds, directory: directory).run()
  }
}

struct ModelBenchmark {
  static let targets = [
    "memory", "insert and save", "fetch, every attribute read", "fetch of the objects alone", "count", "identifiers",
    "update and save", "delete and save",
  ]

  let rows: Int
  /// The beginning of the names of the measurements to make.
  let only: String
  let rounds: Int
  let directory: URL

  func run() throws {
    if "memory".hasPrefix(only) { try memory() }
    print("\n| \(rows) objects | SwiftData | C | ratio |\n| --- | --- | --- | --- |")
    var (ours, theirs): ([Double], [Double]) = ([], [])
    var container: ModelContainer?
    var path = ""
    let inserting = "insert and save"
    for round in 0..<(inserting.hasPrefix(only) ? rounds : 1) {
      let made = try makeContainer("ours-\(round)")
      ours.append(try seconds { try insert(into: made) })
      container = made
      let url = directory.appendingPathComponent("theirs-\(round).store")
      _ = try makeContainer("theirs-\(round)")
      path = url.path
      theirs.append(try seconds { rowloop_write(path, 1, rows, Entry.title, Entry.detail) })
    }
    if inserting.hasPrefix(only) { report(inserting, ours, theirs) }
    guard let container else { return }
    try side("fetch, every attribute read", { try fetchAll(container) }, { rowloop_read(path) })
    try side("fetch of the objects alone", { try fetchObjects(container) }, { rowloop_read(path) })
    try side("count", { try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) }, { rowloop_count(path) })
    try side(
      "identifiers", { try ModelContext(container).fetchIdentifiers(FetchDescriptor<Entry>()).count },
      { rowloop_keys(path) })
    try changes(container, path)
  }

  /// The objects are fetched before; what is measured is their change and its save.
  private func changes(_ container: ModelContainer, _ path: String) throws {
    let count = min(rows, 10_000)
    var descriptor = FetchDescriptor<Entry>()
    descriptor.fetchLimit = count
    func measure(_ what: String, rounds: Int, _ change: (ModelContext, Entry) -> Void, _ theirs: (Int) -> Int) throws {
      guard what.hasPrefix(only) else { return }
      var (mine, other): ([Double], [Double]) = ([], [])
      for round in 0..<rounds {
        let context = ModelContext(container)
        let entries = try context.fetch(descriptor)
        mine.append(
          try seconds(of: count) {
            for entry in entries { change(context, entry) }
            try context.save()
            return entries.count
          })
        other.append(try seconds(of: count) { theirs(round) })
      }
      report(what, mine, other)
    }
    try measure(
      "update and save of \(count)", rounds: rounds, { $1.score += 1 }, { rowloop_update(path, count, $0 + 2) })
    try measure(
      "delete and save of \(count)", rounds: 1, { $0.delete($1) }, { rowloop_delete(path, count, $0 + rounds + 2) })
  }

  private func makeContainer(_ name: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Entry.self]),
      configurations: [ModelConfiguration(url: directory.appendingPathComponent("\(name).store"))])
  }

  private func insert(into container: ModelContainer) throws -> Int {
    let context = ModelContext(container)
    for index in 0..<rows { context.insert(Entry(index)) }
    try context.save()
    return rows
  }

  private func fetchObjects(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetch(FetchDescriptor<Entry>()).count
  }

  private func fetchAll(_ container: ModelContainer) throws -> Int {
    let context = ModelContext(container)
    let entries = try context.fetch(FetchDescriptor<Entry>())
    var sum = 0
    for entry in entries {
      sum += entry.title.utf8.count + entry.detail.utf8.count + entry.year + (entry.isSeen ? 1 : 0)
      sum += Int(entry.score) + Int(entry.added.timeIntervalSinceReferenceDate)
    }
    precondition(sum > 0)
    return entries.count
  }

  // MARK: Measuring

  private func side(_ what: String, _ ours: () throws -> Int, _ theirs: () -> Int) throws {
    guard what.hasPrefix(only) else { return }
    var (mine, other): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      mine.append(try seconds(ours))
      other.append(try seconds { theirs() })
    }
    report(what, mine, other)
  }

  private func seconds(_ body: () throws -> Int) throws -> Double { try seconds(of: rows, body) }

  private func seconds(of rows: Int, _ body: () throws -> Int) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let count = try body()
    let duration = clock.now - start
    guard count == rows else { throw MeasuringProgram.Failure("\(count) of \(rows) rows") }
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private func report(_ what: String, _ ours: [Double], _ theirs: [Double]) {
    let (mine, other) = (ours.sorted()[ours.count / 2] * 1_000, theirs.sorted()[theirs.count / 2] * 1_000)
    print(String(format: "| %@ | %.1f ms | %.1f ms | %.2f |", what, mine, other, mine / other))
  }

  // MARK: Memory

  /// First of all, while nothing else has needed memory: what is freed is not given back to the system at once.
  private func memory() throws {
    let container = try makeContainer("memory")
    let path = directory.appendingPathComponent("memory.store").path
    precondition(rowloop_write(path, 1, rows, Entry.title, Entry.detail) == rows)
    var descriptor = FetchDescriptor<Entry>()
    descriptor.includePendingChanges = false
    var sum = 0
    func show(_ what: String, _ body: (ModelContext) throws -> Void) throws {
      let before = ProgramBenchmark.resident()
      try body(ModelContext(container))
      print("\(what): \(ProgramBenchmark.resident() - before) MB more resident memory")
    }
    try show("enumerate, 1,000 at a time") { try $0.enumerate(descriptor, batchSize: 1_000) { sum += $0.year } }
    try show("batched fetch, 1,000 at a time") {
      for entry in try $0.fetch(descriptor, batchSize: 1_000) { sum += entry.year }
    }
    try show("fetch of all \(rows)") { for entry in try $0.fetch(descriptor) { sum += entry.year } }
    precondition(sum > 0)
  }
}
