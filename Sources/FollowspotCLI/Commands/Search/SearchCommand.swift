// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

struct SearchCommand: Verb {
  static let description = CommandDescription(
    name: "search", arguments: "QUERY…", summary: "search, and print ranked hits with their current rows",
    details: """
      Query: words, "a phrase", title:word, cast:"a name", year:1995..2010, rating:>=8, is:favorite, kind:Movie, toy*,
      AND OR NOT -word ( ), and * for everything. Records with all words come first. If there are few of them, records
      with any of the words follow, and a note says so. `followspot help query` describes the whole language.
      """,
    examples: [
      "followspot --store movies.store search toy friendship year:1995..2010",
      "followspot --store movies.store search 'cast:\"tom hanks\" genres:comedy' -n 5 --format json",
    ], isPaged: true)

  private let query = QueryOptions()
  private let group = GroupOptions()
  private let options = SearchOptions()

  func run(_ call: Call) throws -> ExitCode {
    try Search(
      call, options, format: options.format, limit: options.limit, requirement: group.requirement
    ).run(query.request(call.positionals))
  }
}

/// The boosts, which rank records with newer dates or higher numbers higher.
struct BoostOptions: OptionGroup {
  @Option(
    "--recent", "FIELD[:HALF]", "rank newer records higher; the boost halves every HALF (year:10, seen:30d)",
    parse: { text in
      if let recency = SearchRequest.RecencyBoost(text) { return recency }
      throw CommandError("--recent takes FIELD or FIELD:HALF, not '\(text)'")
    }) var recency: SearchRequest.RecencyBoost?
  @Option("--boost", "FIELD", "rank records higher by the logarithm of a number, such as votes; may be repeated")
  var fields: [String]

  func apply(to request: inout SearchRequest) {
    (request.recency, request.boosts) = (recency, fields.map { TypedName.read($0) })
  }
}

/// Options that order, bound and print the result of a search.
struct SearchOptions: OptionGroup {
  let boosts = BoostOptions()
  @Option("-n", "N", "maximum number of hits (default: 20 as text, all in other formats and with --live; 0 = all)")
  var limit: Int?
  @Option("--offset", "N", "skip the first N hits") var offset: Int?
  @Option("--expand", "also search words that are typical of the best hits") var expands: Bool
  @Option("--sort", "FIELD[:desc],…", "sort by fields instead of relevance; the first field counts most")
  var sort: [String]
  @Option("--facet", "FIELD", "count the values of a field in all matches; may be repeated") var facets: [String]
  @Option("--section-by", "FIELD", "group hits by a field (default on a terminal: by kind)") var section: String?
  @Option("--snippets", "show the passage that matches (always on a terminal)") var hasSnippets: Bool
  @Option(
    "--fields", "A,B",
    "columns to print: attributes, paths, @id @entity @store @score @freshness @deleted @author @tx")
  var fields: String?
  @Option("--scores", "show scores: beside titles on a terminal, otherwise in the last column") var hasScores: Bool
  @Option("--format", "FORMAT") var format: ResultFormat?
  @Option("--live", "print the result, then each change of it (+ ~ -) until stopped") var isLive: Bool
  @Option("--build", "build the index if there is none (always on a terminal)") var builds: Bool
  @Option(
    "--template", "TEXT", #"print each hit as the template says, with fields in braces: '{title} ({year})\n'"#)
  var template: String?
}
