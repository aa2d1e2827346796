// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import RetrievalBenchmark

/// How good the ranking is, by a fixed tenth of the data in the directory FOLLOWSPOT_DATA. Each threshold is a little below
/// what was measured. A change in ranking that raises a score raises its threshold.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory of the real catalogues"),
  .overlapping, .temporaryDirectory)
struct RankingQualityTests {
  private let data = Shell.dataDirectory ?? ""

  /// Judges a tenth of the queries of a catalogue.
  ///
  /// - Parameter hits: The identifiers of the best hits of a query.
  private func judge(
    _ set: String, _ catalogue: CatalogueQueries, atLeast least: Double,
    sourceLocation: SourceLocation = #_sourceLocation, _ hits: (String) throws -> [String]
  ) throws {
    var scores = SearchScores()
    for query in catalogue.queries.tenth {
      let found = try hits(query.text)
      scores.add(
        CatalogueQueries.score(query, found), "\(query.kind): \(query.text)", found: found, wanted: query.wanted)
    }
    scores.expect(atLeast: least, of: set, sourceLocation: sourceLocation)
  }

  @Test func `the films that a person wants come first`() throws {
    let films = try MeasuredIndex(records: data + "/movies-1970-2023.jsonl", kind: "Movie")
    let queries = try CatalogueQueries(file: data + "/relevance/films.tsv")
    try judge("films", queries, atLeast: 0.987) { try films.values("href", of: $0) }
  }

  @Test func `what a person wants of the rows of Chinook comes first`() throws {
    let chinook = try MeasuredIndex(database: "chinook.sqlite") {
      try FileManager.default.copyItem(atPath: data + "/relations/Chinook.sqlite", toPath: $0)
    }
    let queries = try CatalogueQueries(file: data + "/relations/chinook.tsv")
    try judge("Chinook", queries, atLeast: 0.99) { try chinook.hits([$0], count: 10).map(\.id) }
  }

  @Test(.enabled(if: TaggedPackages.areListed, "apt has no lists of packages: apt-get update"))
  func `the packages of a kind come first`() throws {
    let packages = try TaggedPackages()
    let file = TemporaryDirectory().file("packages.jsonl")
    try packages.write(to: file)
    let index = try MeasuredIndex(records: file, kind: "Package")
    var scores = SearchScores()
    for line in try String(contentsOfFile: data + "/relevance/packages.tsv", encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "\t")
      let wanted = packages.named(by: parts[1].split(separator: " "))
      guard !wanted.isEmpty else { continue }
      let found = try index.values("name", of: String(parts[0]))
      scores.add(
        Quality.share(found.map(wanted.contains), of: wanted.count, depth: 10), String(parts[0]), found: found,
        wanted: wanted)
    }
    scores.expect(atLeast: 0.18, of: "packages")
  }

  @Test(arguments: [(true, 0.981), (false, 0.94)])
  func `records of designed databases are found by names`(declaresKeys: Bool, least: Double) throws {
    let folder = data + "/relations/designed"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sqlite") }
    var scores = SearchScores()
    for file in files.sorted().tenth {
      let source = folder + "/" + file
      let asked = try DatabaseQueries(path: source, seed: 1)
      let index = try MeasuredIndex(database: file) {
        if declaresKeys {
          try FileManager.default.copyItem(atPath: source, toPath: $0)
        } else {
          try UndeclaredCopy.make(of: source, at: $0)
        }
      }
      let records = try index.hits(["*"], count: 0)
      for query in asked.queries {
        let wanted = query.wanted.map { asked.tables[$0.table].identifier(of: $0.row) }
        let found: [String]
        let score: Double
        if query.kind == .title {
          found = records.filter { asked.isWanted($0.id, of: query) }.map { NamedTable.words($0.title ?? "") }
          score = found.contains(query.text) ? 1 : 0
        } else {
          found = try index.hits([query.text], count: 10).map(\.id)
          score = asked.score(query, found)
        }
        scores.add(score, "\(file): \(query.kind): \(query.text)", found: found, wanted: wanted)
      }
    }
    scores.expect(atLeast: least, of: "databases that \(declaresKeys ? "declare" : "do not declare") foreign keys")
  }

  @Test(arguments: [
    ("anki", 15), ("beets", 17), ("calibre", 18), ("darktable", 11), ("fossil", 9), ("gnucash", 16), ("gpodder", 9),
    ("optuna", 9), ("reader", 11), ("roundup", 10), ("wagtail", 12),
  ])
  func `the searches of the owner of a program's database are answered`(program: String, least: Int) throws {
    let source = "\(data)/apps/\(program).sqlite"
    let index = try MeasuredIndex(database: program + ".sqlite") {
      try FileManager.default.copyItem(atPath: source, toPath: $0)
    }
    let asked = try OwnerSearches(file: "\(data)/apps/\(program).tsv", database: source)
    var scores = SearchScores()
    for search in asked.searches {
      let found = try index.hits(search.arguments, count: search.depth).map(\.id)
      scores.add(
        search.isRight(found) ? 1 : 0, "\(search.label): \(search.arguments) [\(search.mode.rawValue)]", found: found,
        wanted: search.wanted)
    }
    scores.expect(atLeast: Double(least) / Double(asked.searches.count), of: program)
  }

  @Test(arguments: [("cranfield", 0.433), ("cacm", 0.5)])
  func `relevant documents of a test collection come first`(name: String, least: Double) throws {
    let collection = try TestCollection(directory: data + "/ir/" + name)
    let gains = try #require(collection.judgements.first { $0.name == "qrels.trec" }).gains
    let judged = collection.queries.filter { gains[$0.id] != nil }
    let index = try MeasuredIndex(records: collection.documents, kind: "Document")
    var scores = SearchScores()
    // A tenth of a small collection says little.
    for query in judged.count < 100 ? judged : judged.tenth {
      let found = try index.values("id", of: query.text, isLiteral: true)
      let quality = Quality(of: [query.id: found], by: [query.id: gains[query.id] ?? [:]])
      scores.add(quality.discountedGain, query.text, found: found, wanted: gains[query.id, default: [:]].keys)
    }
    scores.expect(atLeast: least, of: name)
  }
}
