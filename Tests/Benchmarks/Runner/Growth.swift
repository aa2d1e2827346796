// SPDX-License-Identifier: MIT

internal import CRebuildLoop
internal import Foundation
internal import SQLite
internal import SearchIndex
internal import Store
internal import TestSupport

/// Measurements of a store of many seeded rows, which stays in a directory from one call to the next.
struct Growth {
  let rows: Int
  /// Words of the longest text of a row, on average.
  let words: Int
  let directory: String
  let storePath: String
  let index: IndexDirectory

  static let parts: [(name: String, summary: String)] = [
    ("rebuild", "build of the index by the program"), ("loop", "the same by a C++ loop over Xapian"),
    ("queries", "ranked queries, against FTS5"), ("ranked", "both stages of ranking, and the first stage alone"),
    ("follow", "a follower with a backlog, and beside saves"),
  ]

  init(rows: Int, words: Int, directory: String) throws {
    self.rows = rows
    self.words = words
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    storePath = directory + "/rows.store"
    index = IndexDirectory(path: storePath + ".index")
  }

  func run(parts: Set<String>) throws {
    func wants(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
    try makeRows()
    show("| what | followspot | partner | ratio |\n| --- | --- | --- | --- |")
    if wants("rebuild") { try rebuild() }
    if wants("loop") { try loop() }
    if wants("queries") { try queries() }
    if wants("ranked") { try ranked() }
    if wants("follow") { try follow() }
    try GrowthTable(directory: directory).draw()
  }

  // MARK: Rows

  static let model = ModelDescription(entities: [
    EntityDescription(
      "Movie",
      attributes: [
        AttributeDescription("title", .string), AttributeDescription("year", .integer64, isOptional: true),
        AttributeDescription("cast", .strings, isOptional: true),
        AttributeDescription("genres", .strings, isOptional: true),
        AttributeDescription("extract", .string, isOptional: true),
        AttributeDescription("href", .string, isOptional: true),
      ])
  ])

  /// Some words in the columns that the C++ loop reads: 90 bytes with 6 words of text, 350 with 40.
  private func row(_ catalogue: inout Catalogue) -> [Value?] {
    func list(_ items: [String]) -> Value {
      .blob(Array("[\(items.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
    }
    let genres = ["Drama", "Comedy", "Animated", "Science Fiction", "Western"].filter { _ in catalogue.chance(4) }
    return [
      .text(catalogue.words(catalogue.number(1...5))), .integer(Int64(catalogue.number(1900...2020))),
      list((0..<catalogue.number(0...(words < 20 ? 1 : 3))).map { _ in catalogue.words(2) }), list(genres),
      .text(catalogue.words(catalogue.number(1...(words * 2)))), .text(catalogue.words(1)),
    ]
  }

  /// Adds rows until there are enough: batch by batch of its own seed, so that every store of a size is the same.
  private func makeRows() throws {
    let isThere = FileManager.default.fileExists(atPath: storePath)
    let store =
      try isThere
      ? PersistentStore.open(storePath, access: .readWrite) : PersistentStore.create(storePath, model: Self.model)
    let movie = store.layout.entities[0]
    var count = try store.count(of: movie)
    guard count <= rows else {
      throw MeasuringProgram.Failure("\(storePath) has \(count) rows", hint: "name another directory with --into")
    }
    while count < rows {
      var catalogue = Catalogue(seed: count)
      let size = min(1_000, rows - count)
      try store.save(author: "seed") { save in
        for _ in 0..<size { try save.insert(movie, row(&catalogue)) }
      }
      count += size
    }
  }

  // MARK: Building

  /// A whole rebuild by the program, its comparison with the store included.
  private func rebuild() throws {
    if try index.serving() != nil { index.removeGeneration(index.generations().last ?? 0) }
    try? FileManager.default.removeItem(atPath: index.path)
    var time = Samples()
    let run = time.measure { runMeasured(program, ["--store", storePath, "index"]) }
    guard run.status == 0 else { throw MeasuringProgram.Failure("\(program) cannot build the index") }
    try GrowthTable(directory: directory).add("rebuild", rows, time.median, Double(run.memory) / 1e6)
    report("build of \(rows) rows", milliseconds(time.median), "-", nil)
    report("its memory at most", String(format: "%.0f MB", Double(run.memory) / 1e6), "-", nil)
    report("rows a second", String(format: "%.0f", Double(rows) / time.median), "-", nil)
  }

  private func loop() throws {
    var terms = 0.0
    var time = Samples()
    let count = time.measure { rebuild_loop(storePath, directory + "/loop", &terms) }
    guard count == rows else { throw MeasuringProgram.Failure("the loop has indexed \(count) of \(rows) rows") }
    try? FileManager.default.removeItem(atPath: directory + "/loop")
    let table = GrowthTable(directory: directory)
    try table.add("loop", rows, time.median, 0)
    let own = try table.rows().last { $0.what == "rebuild" && $0.rows == rows }?.seconds
    report(
      "build of \(rows) rows against a C++ loop over Xapian", own.map(milliseconds) ?? "-", milliseconds(time.median),
      own.map { $0 / time.median })
  }
}
