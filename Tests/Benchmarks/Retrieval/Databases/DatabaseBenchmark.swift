// SPDX-License-Identifier: MIT

internal import Followspot
internal import Foundation
internal import Store
internal import TestSupport

/// Judges the hits of queries over the databases of a directory, as they are and without their foreign keys.
struct DatabaseBenchmark {
  private typealias Scores = [DatabaseQueries.Kind: [Double]]

  /// The declared foreign keys of the databases, those of them that are inferred in a copy that does not declare them, and
  /// the inferred ones that no database declares.
  private struct Relations {
    var declared = 0
    var found = 0
    var others: [String] = []
  }

  private let seeds: [Int]
  private var followspot: [Bool: Scores] = [:]
  private var partner: Scores = [:]
  private var relations = Relations()

  /// - Parameter seeds: The number of times that queries are chosen.
  init(directory: String, seeds: Int) throws {
    self.seeds = Array(1...seeds)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    let files = names.filter { $0.hasSuffix(".sqlite") || $0.hasSuffix(".db") }
    guard !files.isEmpty else { throw MeasuringProgram.Failure("\(directory) has no files .sqlite or .db") }
    for file in files {
      let source = directory + "/" + file
      try TemporaryDirectory.with { scratch in
        let declared = scratch.file("declared-" + file)
        try FileManager.default.copyItem(atPath: source, toPath: declared)
        let undeclared = scratch.file("undeclared-" + file)
        try UndeclaredCopy.make(of: declared, at: undeclared)
        let queries = try self.seeds.map { try DatabaseQueries(path: declared, seed: $0) }
        let rows = try FullTextPartner(queries[0].tables, in: scratch)
        for queries in queries {
          let asked = queries.queries.filter { $0.kind != .title }
          let hits = try rows.hits(asked.map(\.text), depth: DatabaseQueries.depth, words: .allThenAny)
          for (query, hits) in zip(asked, hits) { partner[query.kind, default: []].append(queries.score(query, hits)) }
        }
        for path in [declared, undeclared] { try judge(path, queries, isDeclared: path == declared) }
        try compare(declared, undeclared, named: file)
      }
    }
  }

  private mutating func judge(_ path: String, _ sets: [DatabaseQueries], isDeclared: Bool) throws {
    let database = try IndexedPath(path)
    let all = try database.hits("*", depth: nil).map { ($0.identifier.short, NamedTable.words($0.title)) }
    let titles = Dictionary(all, uniquingKeysWith: { first, _ in first })
    for queries in sets {
      for query in queries.queries {
        let score =
          query.kind == .title
          ? (titles.contains { queries.isWanted($0.key, of: query) && $0.value == query.text } ? 1 : 0)
          : queries.score(query, try database.hits(query.text, depth: DatabaseQueries.depth).map(\.identifier.short))
        followspot[isDeclared, default: [:]][query.kind, default: []].append(score)
      }
    }
  }

  private mutating func compare(_ declared: String, _ undeclared: String, named file: String) throws {
    func relations(_ path: String, _ origin: TableRelation.Origin) throws -> Set<String> {
      let database = Database.of(try StoreFile.open(path, readings: .surveyed(given: [:])))
      return Set(
        (database?.relations ?? []).filter { $0.relation.origin == origin }
          .map { "\($0.entity).\($0.relation.columns.sorted().joined(separator: ",")) -> \($0.relation.target)" })
    }
    let (known, inferred) = (try relations(declared, .declared), try relations(undeclared, .inferred))
    self.relations.declared += known.count
    self.relations.found += known.intersection(inferred).count
    self.relations.others += inferred.subtracting(known).sorted().map { "\(file): \($0)" }
  }

  // MARK: Report

  func report() {
    let kinds = DatabaseQueries.Kind.allCases
    show("| keys | system | \(kinds.map(\.rawValue).joined(separator: " | ")) | mean of kinds |")
    show("|\(String(repeating: " --- |", count: kinds.count + 3))")
    row("declared", "followspot", followspot[true] ?? [:])
    row("not declared", "followspot", followspot[false] ?? [:])
    row("none", "FTS5 porter over rows", partner)
    let declared = relations.declared
    show(
      """

      Of \(declared) declared foreign keys, \(relations.found) are inferred without the declarations.
      \(relations.others.count) inferred ones are not declared:
      """)
    for other in relations.others { show("- \(other)") }
  }

  private func row(_ keys: String, _ system: String, _ scores: Scores) {
    func mean(_ scores: [Double]) -> Double { scores.reduce(0, +) / Double(max(1, scores.count)) }
    func shown(_ score: Double) -> String { String(format: "%.3f", score) }
    let means = DatabaseQueries.Kind.allCases.map { scores[$0].map(mean) }
    let cells = means.map { $0.map(shown) ?? "-" } + [shown(mean(means.compactMap(\.self)))]
    show("| \(keys) | \(system) | \(cells.joined(separator: " | ")) |")
  }
}
