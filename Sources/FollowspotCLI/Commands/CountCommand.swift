// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

struct CountCommand: Verb {
  static let description = CommandDescription(
    name: "count", arguments: "QUERY…", summary: "count the matches of a query",
    details: "All words are required. The exit code is 0 even if the count is 0.",
    examples: [
      "followspot --store movies.store count '*'",
      "followspot --store movies.store count genres:comedy year:1990..1999",
      "followspot --store movies.store count '*' --by genres --json",
      "followspot --store movies.store count '*' --by year --chart",
    ])

  private let query = QueryOptions()
  private let group = GroupOptions()
  @Option("--by", "FIELD", "count the matches of each value of a field, most frequent first") var field: String?
  @Option("--chart", "draw the counts of --by as bars; numbers and dates are grouped") var isChart: Bool
  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    if isChart {
      guard field != nil else { throw CommandError("--chart needs --by FIELD") }
      guard format != .json else { throw CommandError("--chart prints text") }
    }
    let request = try query.request(call.positionals)
    let searcher = try call.recordSearch(group.requirement)
    let result = try searcher.count(request, by: field.map { TypedName.read($0) })
    result.sayNotes(withGaps: format != .json)
    switch (format, result.facet) {
    case (.json, _): try JSONObject(result, query: request.query).print()
    case (_, let facet?) where isChart: BarChart(Histogram(facet)).print()
    case (_, let facet?): for value in facet.values { Console.write(line: "\(value.count)\t\(value.text.printable)") }
    case (_, nil): Console.write(line: "\(result.count)")
    }
    return result.missing.isEmpty ? .success : .incomplete
  }
}
