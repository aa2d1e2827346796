// SPDX-License-Identifier: MIT

internal import Scaling
internal import Searching
internal import ShellInterface

extension CommandDescription {
  /// The output formats of `count`.
  private enum CountFormat: String, CaseIterable, Sendable { case text, json }

  static let count = CommandDescription(
    name: "count", arguments: "QUERY…", summary: "count the matches of a query",
    details: "All words are required. The exit code is 0 even if the count is 0.",
    examples: [
      "followspot --store movies.store count '*'",
      "followspot --store movies.store count genres:comedy year:1990..1999",
      "followspot --store movies.store count '*' --by genres --json",
      "followspot --store movies.store count '*' --by year --chart",
    ],
    options: queryOptions + groupOptions + [
      OptionDescription("--by", "FIELD", "count the matches of each value of a field, most frequent first"),
      OptionDescription("--chart", nil, "draw the counts of --by as bars; numbers and dates are grouped"),
      OptionDescription("--format", "FORMAT", CountFormat.self),
    ]
  ) { call in
    let format = try call.choice("--format", CountFormat.self) ?? .text
    if call.has("--chart") {
      guard call.has("--by") else { throw CommandError("--chart needs --by FIELD") }
      guard format == .text else { throw CommandError("--chart prints text") }
    }
    let request = try request(call)
    let searcher: any RecordSearch = try call.searchGroup() ?? call.searcher()
    let result = try searcher.count(request, by: call.value("--by"))
    for note in result.notes { Console.say(note) }
    say(missing: result.missing)
    if format != .json { say(gapsOf: result.stores, result.index) }
    if let preservation = result.preservation { Console.hint(preservation.advice) }
    if let nearest = result.nearest { Console.hint(nearest.advice) }
    switch (format, result.facet) {
    case (.json, _): try Console.write(json: CountDocument(query: request.query, result: result))
    case (.text, let facet?) where call.has("--chart"): BarChart(histogram: Histogram(facet)).print()
    case (.text, let facet?):
      for value in facet.values { Console.write("\(value.count)\t\(value.text.printable)\n") }
    case (.text, nil): Console.write("\(result.count)\n")
    }
    return result.missing.isEmpty ? .success : .incomplete
  }
}
