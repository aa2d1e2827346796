// SPDX-License-Identifier: MIT

internal import Foundation

/// Queries over a catalogue with the records that a person who types them wants, by kind: lines of kind, query, and
/// wanted identifiers separated by bars or blanks.
struct CatalogueQueries {
  struct Query {
    let kind: String
    let text: String
    let wanted: Set<String>
  }

  /// Kinds of which any wanted record is enough.
  private static let knownItems: Set<String> = [
    "title", "no-article", "title+name", "typo", "title+year", "track+artist", "album+artist", "track+composer",
    "track in playlist",
  ]
  /// Hits of a query that are looked at.
  static let depth = 10

  let queries: [Query]

  init(file: String) throws {
    queries = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.components(separatedBy: "\t")
      guard parts.count == 3 else { throw CocoaError(.fileReadCorruptFile) }
      let wanted = parts[2].split(omittingEmptySubsequences: false) { $0 == "|" || $0 == " " }.map(String.init)
      return Query(kind: parts[0], text: parts[1], wanted: Set(wanted))
    }
  }

  var kinds: [String] { Set(queries.map(\.kind)).sorted() }

  /// The mean score of each kind, and that of all queries.
  func scores(_ hits: [[String]]) -> (byKind: [String: Double], all: Double) {
    var byKind: [String: [Double]] = [:]
    for (query, hits) in zip(queries, hits) { byKind[query.kind, default: []].append(Self.score(query, hits)) }
    func mean(_ scores: [Double]) -> Double { scores.reduce(0, +) / Double(max(1, scores.count)) }
    return (byKind.mapValues(mean), mean(Array(byKind.values.joined())))
  }

  /// The reciprocal rank of the first wanted record if one is enough; else the share of the wanted ones among as many hits.
  static func score(_ query: Query, _ hits: [String]) -> Double {
    // Several records may have one identifier. It counts once.
    var missing = query.wanted
    let areWanted = hits.prefix(depth).map { missing.remove($0) != nil }
    return knownItems.contains(query.kind) || query.wanted.count == 1
      ? Quality.reciprocalRank(areWanted) : Quality.share(areWanted, of: query.wanted.count, depth: depth)
  }
}
