// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import ShellInterface
internal import Watching

extension CommandDescription {
  static let log = CommandDescription(
    name: "log", arguments: "QUERY… | ID…", summary: "list the transactions that changed the matches of a query",
    details: """
      Each transaction is printed with its author and those of its changes that concern records that match now. All words
      of the query are required. An identifier may name a deleted record.
      As text, the newest transaction comes first, and -n counts from there. The other formats print the oldest
      transaction first, as `history` does, so that --after TOKEN -n N reads page after page.
      """,
    examples: [
      "followspot --store movies.store log toy -n 3",
      "followspot --store movies.store log year:1950..1960 --author importer --format ndjson",
      "followspot --store movies.store log Movie/p12",
    ],
    options: [
      OptionDescription("-n", "N", "maximum number of transactions (0 = all, the default)"),
      OptionDescription("--after", "TOKEN", "only transactions after this one"),
      OptionDescription("--author", "NAME", "only transactions by this author"),
    ] + exactQueryOptions + [OptionDescription("--format", "FORMAT", ChangeFormat.self)],
    isPaged: true
  ) { call in
    let format = try call.choice("--format", ChangeFormat.self) ?? .text
    let after = Int64(try call.integer("--after") ?? 0)
    let limit = try call.integer("-n").flatMap { $0 == 0 ? nil : $0 }
    let selection = try call.hitSelection(call.positionals)
    let query = call.positionals.joined(separator: " ")
    var printer = LogPrinter(format: format, limit: limit)
    var log: HitLog?
    try call.upToDate(selection) { searcher, selection in
      func start(_ found: HitLog) {
        log = found
        printer.begin(query: query, found)
      }
      try searcher.log(selection, after: after, isReversed: format == .text, start: start) { try printer.print($0) }
    }
    printer.end()
    Console.flush()
    if let missing = log?.missing, let first = missing.first {
      let isStart = missing.count == 1 && first.lowerBound == after + 1
      Console.say(
        isStart
          ? "the history begins with transaction \(first.upperBound + 1)"
          : "transactions \(missing.text) are not in the history any more")
    }
    if printer.count == 0, let log, log.records > 0 {
      let what = selection.records.isEmpty ? HumanText.count(log.records, "matching record") : query
      Console.say("no listed transaction changed \(what)")
    }
    return printer.count > 0 ? .success : .negative
  }
}
