// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Hostile rows: they are indexed or truncated, indexing continues, other rows are not affected, and an updated index equals
/// a rebuilt one.
@Suite(.overlapping, .temporaryDirectory)
struct HostileContentTests {
  private let directory = TemporaryDirectory()

  private static let rowsPerRound = 30

  /// Values that only plain SQL can write: bytes that are not UTF-8, values of another type, infinities, NULL in required
  /// attributes.
  private static let edits = [
    "ZTITLE = CAST(x'ff61eda080edb0806280' AS TEXT)", "ZTITLE = CAST(x'c3' AS TEXT)", "ZTITLE = 12345",
    "ZTITLE = x'00ff00'", "ZTITLE = NULL", "ZPLOT = CAST(x'f888808080f4908080' AS TEXT)", "ZYEAR = 'many'",
    "ZYEAR = 1e300", "ZRATING = 9e999", "ZRATING = 'NaN'", "ZRELEASED = 9e999", "ZRELEASED = -9e999",
    "ZRELEASED = 'yesterday'", "ZRELEASED = 1e300", "ZISFAVORITE = 77", "ZISFAVORITE = -1.5",
    "ZGENRES = x'5b22fe225d'", "ZGENRES = 'no blob'", "ZPEOPLE = zeroblob(100)", "ZPOSTER = 'text'",
    "ZPEOPLE = 4.5", "ZPLOT = zeroblob(1000)",
  ]

  /// Adds hostile rows, and damages some by SQL with records in the history.
  private func fill(_ bench: IndexedStore, seed: Int) throws {
    var hostile = HostileValues(seed: seed)
    let attributes = bench.film.entity.attributes
    var keys: [Int64] = []
    try bench.store.save(author: hostile.text()) { save in
      for _ in 0..<Self.rowsPerRound {
        keys.append(try save.insert(bench.film, attributes.map { hostile.value(for: $0) }).key)
      }
    }
    let connection = try Connection(path: bench.storePath, access: .readWrite)
    let year = try #require(bench.film.entity.index(of: "year"))
    let poster = try #require(bench.film.entity.index(of: "poster"))
    for key in keys where key % 3 == 0 {
      let edit = hostile.pick(Self.edits)
      try connection.execute("UPDATE ZFILM SET \(edit) WHERE Z_PK = \(key)")
      try bench.store.save { save in
        try save.update(
          bench.film, key: key,
          edit.hasPrefix("ZYEAR")
            ? [(attribute: poster, value: .blob([UInt8(key % 256)]))] : [(attribute: year, value: .integer(key))])
      }
    }
  }

  /// JSON by its grammar: numbers beyond every type and lone surrogates may stand in it.
  private func expectJSON(_ lines: [String], _ what: String) throws {
    let valid = try Connection(path: ":memory:", access: .create).cursor("SELECT json_valid(?1)")
    for line in lines {
      valid.reset()
      try valid.bind(line, at: 1)
      let isValid = try valid.step() && valid.integer(at: 0) == 1
      #expect(isValid, "\(what): \(line.prefix(2_000).debugDescription)")
    }
  }

  @Test(arguments: Rounds.seeds(3, full: 10, long: 334))
  func `generated rows are indexed or truncated, without effect on other rows`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 10)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    try fill(bench, seed: seed)
    let what = "seed \(seed)"
    let tailed = try shell.runInContract(["index"], codes: [0], what)
    #expect(tailed.errors == "", "\(what): \(tailed)")
    try shell.runInContract(["verify"], codes: [0], what)
    let dump = try bench.dump()
    #expect(dump.documents.count == 10 + Self.rowsPerRound, "\(what)")
    for key in bench.keys { #expect(dump.documents["Film/p\(key)"] == (try bench.expected(key)), "\(what)") }
    for format in ["json", "ndjson", "tsv", "csv", "text", "ids"] where seed % 6 == format.utf8.count % 6 || seed < 2 {
      let shown = try shell.runInContract(["search", "*", "-n", "0", "--format", format], codes: [0], what)
      if format == "ndjson" {
        try expectJSON(shown.lines, what)
        #expect(shown.lines.count == 10 + Self.rowsPerRound, "\(what)")
      }
    }
    let history = try shell.runInContract(["history", "--format", "ndjson"], codes: [0], what)
    try expectJSON(history.lines, what)
    try shell.runInContract(["rebuild"], codes: [0], what)
    #expect(try bench.dump() == dump, "\(what): rebuilt is not tailed")
  }

  @Test func `a text of many megabytes and a million words are indexed, or truncated and counted`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 10)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    let megabytes = Rounds.isLong ? 200 : 5
    let plot = try #require(bench.film.entity.index(of: "plot"))
    let words = (0..<(Rounds.isLong ? 1_000_000 : 100_000)).map { "w\($0)" }.joined(separator: " ")
    for text in [String(repeating: "lorem ", count: megabytes << 20 / 6), words] {
      try bench.store.save { try $0.update(bench.film, key: 3, [(attribute: plot, value: .text(text))]) }
      try shell.runInContract(["index"], codes: [0], "\(text.utf8.count) bytes")
    }
    #expect(try shell.run("count", "plot:w99999").output == "1\n")
    try shell.runInContract(["verify"], codes: [0], "long texts")
    let dump = try bench.dump()
    for key in bench.keys where key != 3 { #expect(dump.documents["Film/p\(key)"] == (try bench.expected(key))) }
    try shell.runInContract(["rebuild"], codes: [0], "long texts")
    #expect(try bench.dump() == dump)
  }

  @Test(arguments: Rounds.seeds(2, full: 6, long: 60))
  func `with hostile related objects an updated index equals a rebuilt one`(seed: Int) throws {
    let bench = try RelatedCatalogue(in: directory, seed: seed)
    let indexer = Indexer(bench.options())
    var hostile = HostileValues(seed: seed)
    for _ in 0..<4 {
      try bench.saveRandomly()
      try indexer.catchUp()
      try Self.change(bench, &hostile)
      try indexer.catchUp()
    }
    #expect(try bench.dump() == (try bench.rebuiltDump(in: directory)), "seed \(seed)")
    #expect(try Verify(storePath: bench.storePath, directory: bench.index).run(isQuick: false).isEqual)
  }

  /// Sets hostile texts in some rows, and bytes that are not UTF-8 in others.
  private static func change(_ bench: RelatedCatalogue, _ hostile: inout HostileValues) throws {
    for row in bench.rows where hostile.number(0...1) == 0 {
      guard let entity = bench.store.layout.entity(number: row.entity) else { continue }
      let attributes = entity.entity.attributes.indices.filter {
        entity.entity.attributes[$0].type == .string && !entity.entity.attributes[$0].isUnique
      }
      let values = attributes.map { _ in hostile.text() }
      try bench.store.save(author: hostile.text()) { save in
        try save.update(entity, key: row.key, zip(attributes, values).map { (attribute: $0, value: .text($1)) })
      }
    }
  }
}
