// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex

struct LogCommand: Verb {
  static let description = CommandDescription(
    name: "log", arguments: "QUERY… | ID…", summary: "list the transactions that changed the matches of a query",
    details: """
      Each transaction is printed with its author and those of its changes that concern records that match now. All words
      of the query are required. An identifier may name a deleted record.
      As text, the newest transaction comes first, and -n counts from there. The other formats print the oldest
      transaction first, as `history` does, so that --after TOKEN -n N reads page after page.
      The transactions of a group are in the order of their times.
      """,
    examples: [
      "followspot --store movies.store log toy -n 3",
      "followspot --store movies.store log year:1950..1960 --author importer --format ndjson",
      "followspot --store movies.store log Movie/p12",
    ], isPaged: true)

  @Option("-n", "N", "maximum number of transactions (0 = all, the default)") var limit: Int?
  @Option(
    "--after", "TOKEN", "only transactions after this one; of a group: films=12,music=7", form: "a whole number from 0",
    StoreTokens.init) var after: StoreTokens?
  @Option("--author", "NAME", "only transactions by this author") var author: String?
  private let query = QueryOptions.exact
  @Option("--format", "FORMAT") var format: ListFormat?

  func run(_ call: Call) throws -> ExitCode {
    let after = after ?? StoreTokens(0)
    let selection = try call.hitSelection(call.positionals, query.group, author: author)
    let text = call.positionals.joined(separator: " ")
    var printer = LogPrinter(format: format ?? .text, limit: limit == 0 ? nil : limit)
    var log: HitLog?
    let code = try call.upToDate(selection) { search, selection in
      func start(_ found: HitLog) throws {
        log = found
        try printer.begin(query: text, found)
      }
      try HitLog.read(selection, in: search, after: after, isReversed: format ?? .text == .text, start: start) {
        try printer.print($0)
      }
    }
    printer.end()
    Console.flush()
    Call.sayWithoutHistory(log?.withoutHistory ?? [])
    for store in log?.stores ?? [] {
      guard let first = store.missing.first else { continue }
      let isStart = store.missing.count == 1 && first.lowerBound == (after.number(of: store.name) ?? 0) + 1
      Console.say(
        (store.name.map { $0 + ": " } ?? "")
          + (isStart
            ? "the history begins with transaction \(first.upperBound + 1)"
            : "\(store.missing.subject) not in the history any more"))
    }
    if printer.count == 0, let log, log.records > 0 {
      let what = selection.records.isEmpty ? HumanText.count(log.records, "matching record") : text
      Console.say("no listed transaction changed \(what)")
    }
    return max(code, printer.count > 0 ? .success : .negative)
  }
}
