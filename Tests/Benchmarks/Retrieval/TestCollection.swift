// SPDX-License-Identifier: MIT

internal import Foundation

/// Documents, queries and judgements of which of them are relevant.
struct TestCollection {
  struct Query {
    let id: String
    let text: String
  }

  struct Judgements {
    let name: String
    /// By query, then by document; what is not there is not relevant.
    let gains: [String: [String: Double]]
  }

  let name: String
  let documents: String
  let queries: [Query]
  let judgements: [Judgements]

  init(directory: String) throws {
    let place = URL(fileURLWithPath: directory)
    name = place.lastPathComponent
    documents = place.appendingPathComponent("docs.jsonl").path
    queries = try Self.lines(place.appendingPathComponent("queries.tsv")).compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return parts.count == 2 ? Query(id: String(parts[0]), text: String(parts[1])) : nil
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    judgements = try files.filter { $0.hasPrefix("qrels") && $0.hasSuffix(".trec") }.map { file in
      var gains: [String: [String: Double]] = [:]
      for line in try Self.lines(place.appendingPathComponent(file)) {
        let parts = line.split(whereSeparator: \.isWhitespace)
        guard parts.count == 4, let gain = Double(parts[3]), gain > 0 else { continue }
        gains[String(parts[0]), default: [:]][String(parts[2])] = gain
      }
      return Judgements(name: file, gains: gains)
    }
  }

  private static func lines(_ file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
  }
}
