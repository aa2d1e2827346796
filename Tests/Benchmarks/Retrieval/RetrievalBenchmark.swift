internal import Foundation
internal import TestSupport

/// Measures how good the ranking is, with what the program ships: `RetrievalBenchmark DIRECTORY…`.
///
/// A directory is a test collection in the common form: `docs.jsonl` with `id`, `title`, `text` and whatever else there
/// is, `queries.tsv` with `id<TAB>text`, and judgements `qrels*.trec` with `query 0 document gain`. Each file of
/// judgements gives a line; the averages are over the queries that have a relevant document in it.
@main
enum RetrievalBenchmark {
  /// Hits of a query that are judged.
  static let depth = 1_000

  static func main() throws {
    let directories = CommandLine.arguments.dropFirst()
    guard !directories.isEmpty else { return show("usage: RetrievalBenchmark DIRECTORY…") }
    show("| collection | judgements | system | MAP | nDCG@10 | P@10 |\n| --- | --- | --- | --- | --- | --- |")
    for directory in directories {
      let collection = try TestCollection(directory: directory)
      try TemporaryDirectory.with { scratch in
        let store = try IndexedCollection(collection, in: scratch)
        let own = try store.runs()
        let partner = try FullTextPartner(store).runs(collection.queries)
        for judgements in collection.judgements {
          for (system, runs) in [("followspot", own), ("FTS5 porter", partner)] {
            let quality = Quality(of: runs, by: judgements.gains)
            let figures = [quality.averagePrecision, quality.discountedGain, quality.precision].map {
              String(format: "%.4f", $0)
            }
            show("| \(collection.name) | \(judgements.name) | \(system) | \(figures.joined(separator: " | ")) |")
          }
        }
      }
    }
  }
}

/// One line of the report, at once.
func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
