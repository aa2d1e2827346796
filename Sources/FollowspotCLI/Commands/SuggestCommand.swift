// SPDX-License-Identifier: MIT

internal import Searching
internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let suggest = CommandDescription(
    name: "suggest", arguments: "PREFIX…", summary: "complete a partial query",
    details: """
      Whole titles with this prefix come first, then whole values of facets, then completions of the last word, the most
      frequent first. If nothing begins with the prefix, the closest word is suggested. cast:tom completes the values
      and words of one field. The exit code is 1 if there is no suggestion.
      """,
    examples: [
      "followspot --store movies.store suggest toy st", "followspot --store movies.store suggest cast:han -n 5",
    ],
    options: [
      OptionDescription("-n", "N", "maximum number of suggestions (default: 10)"),
      OptionDescription("--format", "FORMAT", Format.self),
    ]
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    var request = SearchRequest(query: call.positionals.joined(separator: " "))
    guard !request.query.allSatisfy(\.isWhitespace) else {
      throw CommandError("suggest takes the prefix of a query", hint: "followspot help suggest")
    }
    request.limit = try call.integer("-n") ?? 10
    if request.limit == 0 { request.limit = nil }
    let searcher = try Searcher(storePath: try call.storePath(), directory: try call.indexDirectory())
    let (suggestions, notes) = try searcher.suggestions(for: request)
    for note in notes { Console.say(note) }
    if format == .json {
      let documents = suggestions.map {
        SuggestionsDocument.Suggestion(text: $0.text, kind: $0.kind.rawValue, records: $0.count)
      }
      try Console.write(json: SuggestionsDocument(query: request.query, suggestions: documents))
    } else {
      for suggestion in suggestions { Console.write(suggestion.text.printable + "\n") }
    }
    return suggestions.isEmpty ? .negative : .success
  }
}
