// SPDX-License-Identifier: MIT

internal import Followspot

struct SuggestCommand: Verb {
  static let description = CommandDescription(
    name: "suggest", arguments: "PREFIX…", summary: "complete a partial query",
    details: """
      Whole titles with this prefix come first, then whole values of facets, then completions of the last word, the most
      frequent first. If nothing begins with the prefix, the closest word is suggested. cast:tom completes the values
      and words of one field. The exit code is 1 if there is no suggestion.
      """,
    examples: [
      "followspot --store movies.store suggest toy st", "followspot --store movies.store suggest cast:han -n 5",
    ])

  @Option("-n", "N", "maximum number of suggestions (default: 10)") var limit: Int?
  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    var request = SearchRequest(query: call.positionals.joined(separator: " "))
    guard !request.query.allSatisfy(\.isWhitespace) else {
      throw call.usageError("suggest takes the prefix of a query")
    }
    request.limit = limit == 0 ? nil : limit ?? 10
    let search = try call.recordSearch()
    let (suggestions, notes) = try search.suggestions(for: request)
    for note in notes { Console.say(note) }
    if format == .json {
      try JSONObject(suggestions, query: request.query).print()
    } else {
      for suggestion in suggestions { Console.write(line: suggestion.text.printable) }
    }
    return search.sayMissing(suggestions.isEmpty ? .negative : .success)
  }
}
