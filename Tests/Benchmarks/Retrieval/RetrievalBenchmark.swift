// SPDX-License-Identifier: MIT

internal import Followspot
internal import Foundation
internal import Store
internal import TestSupport

/// Measures how good the ranking is, with what the program ships.
@main
enum RetrievalBenchmark {
  static let usage = """
    usage: RetrievalBenchmark DIRECTORY…
           RetrievalBenchmark --catalogue RECORDS.jsonl QUERIES.tsv IDENTIFIER
           RetrievalBenchmark --database DATABASE QUERIES.tsv
           RetrievalBenchmark --databases DIRECTORY [--seeds N]

    Judge the hits of test collections, of a catalogue, of an ordinary database, or of many.

    A DIRECTORY is a test collection in the common form: docs.jsonl with id, title, text and whatever else there is,
    queries.tsv with ID<TAB>TEXT, and judgements qrels*.trec with QUERY 0 DOCUMENT GAIN. Each file of judgements gives a
    line; the averages are over the queries that have a relevant document in it.

    A line of QUERIES.tsv is KIND<TAB>QUERY<TAB>WANTED|WANTED…. IDENTIFIER is the attribute that names a record; the records
    of a database are named like Track/572. A command in the environment variable RETRIEVAL_PARTNER, such as
    "python3 tantivy_partner.py", is given the three arguments of --catalogue and judged, too.

    --databases makes queries of each file .sqlite or .db in DIRECTORY from its rows and declared foreign keys, N times (1).
    Copies that declare no foreign keys are judged, too, and which of the keys are inferred in them.
    """

  /// Hits of a query that are judged.
  static let depth = 1_000

  static func main() async { await MeasuringProgram.run(usage: usage, run) }

  private static func run(_ arguments: [String]) throws {
    if arguments.first == "--catalogue" {
      guard arguments.count == 4 else {
        throw MeasuringProgram.refusal("--catalogue needs RECORDS.jsonl, QUERIES.tsv and IDENTIFIER")
      }
      return try catalogue(records: arguments[1], queries: arguments[2], identifier: arguments[3])
    }
    if arguments.first == "--database" {
      guard arguments.count == 3 else { throw MeasuringProgram.refusal("--database needs DATABASE and QUERIES.tsv") }
      return try database(arguments[1], queries: arguments[2])
    }
    if arguments.first == "--databases" {
      let (options, others) = try MeasuringProgram.divided(Array(arguments.dropFirst()), options: ["--seeds"])
      guard others.count == 1 else { throw MeasuringProgram.refusal("--databases needs one DIRECTORY") }
      let seeds = try MeasuringProgram.number(options["--seeds"] ?? "1", for: "--seeds")
      return try DatabaseBenchmark(directory: others[0], seeds: seeds).report()
    }
    let directories = try MeasuringProgram.divided(arguments, options: []).others
    guard !directories.isEmpty else { throw MeasuringProgram.refusal("the directory of a test collection is missing") }
    show("| collection | judgements | system | MAP | nDCG@10 | P@10 |\n| --- | --- | --- | --- | --- | --- |")
    for directory in directories { try collection(TestCollection(directory: directory)) }
  }

  private static func collection(_ collection: TestCollection) throws {
    try TemporaryDirectory.with { scratch in
      let store = try IndexedCollection(
        documents: collection.documents, kind: "Document", identifier: "id", in: scratch)
      let texts = collection.queries.map(\.text)
      // No query of a collection means the query language.
      let own = try store.hits(texts, depth: depth, isLiteral: true)
      let partner = try FullTextPartner(store).hits(texts, depth: depth, words: .any)
      for judgements in collection.judgements {
        for (system, hits) in [("followspot", own), ("FTS5 porter", partner)] {
          let runs = Dictionary(uniqueKeysWithValues: zip(collection.queries.map(\.id), hits))
          let quality = Quality(of: runs, by: judgements.gains)
          let figures = [quality.averagePrecision, quality.discountedGain, quality.precision].map {
            String(format: "%.4f", $0)
          }
          show("| \(collection.name) | \(judgements.name) | \(system) | \(figures.joined(separator: " | ")) |")
        }
      }
    }
  }

  private static func catalogue(records: String, queries file: String, identifier: String) throws {
    let queries = try CatalogueQueries(file: file)
    try TemporaryDirectory.with { scratch in
      let store = try IndexedCollection(documents: records, kind: "Movie", identifier: identifier, in: scratch)
      let texts = queries.queries.map(\.text)
      let depth = CatalogueQueries.depth
      let own = try store.hits(texts, depth: depth, isLiteral: false)
      let partner = try FullTextPartner(store).hits(texts, depth: depth, words: .allThenAny)
      var systems = [("followspot", own), ("FTS5 porter, AND then OR", partner)]
      if let program = ProcessInfo.processInfo.environment["RETRIEVAL_PARTNER"] {
        systems.append((program, try answers(of: program, [records, file, identifier])))
      }
      report(systems, queries)
    }
  }

  private static func database(_ source: String, queries file: String) throws {
    let queries = try CatalogueQueries(file: file)
    try TemporaryDirectory.with { scratch in
      let path = scratch.file("copy.sqlite")
      try FileManager.default.copyItem(atPath: source, toPath: path)
      let rows = try FullTextPartner(DatabaseQueries(path: path, seed: 1).tables, in: scratch)
      let database = try IndexedPath(path)
      let texts = queries.queries.map(\.text)
      let depth = CatalogueQueries.depth
      report(
        [
          ("followspot", try texts.map { try database.hits($0, depth: depth).map(\.identifier.short) }),
          ("FTS5 porter over rows", try rows.hits(texts, depth: depth, words: .allThenAny)),
        ], queries)
    }
  }

  private static func report(_ systems: [(name: String, hits: [[String]])], _ queries: CatalogueQueries) {
    let kinds = queries.kinds
    show(
      "| system | \(kinds.joined(separator: " | ")) | all |\n|\(String(repeating: " --- |", count: kinds.count + 2))")
    for (system, hits) in systems {
      let scores = queries.scores(hits)
      let figures = (kinds.map { scores.byKind[$0] ?? 0 } + [scores.all]).map { String(format: "%.3f", $0) }
      show("| \(system) | \(figures.joined(separator: " | ")) |")
    }
  }

  /// The hits that another program finds: one line a query, identifiers with bars between them.
  private static func answers(of program: String, _ arguments: [String]) throws -> [[String]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", program + " \"$@\"", "sh"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.split(separator: "|").map(String.init) }
  }
}

/// One line of the report, at once.
func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
