// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Search
internal import ShellInterface

struct DiffCommand: Verb {
  static let description = CommandDescription(
    name: "diff", arguments: "QUERY… A..B | QUERY… -- COMMAND…",
    summary: "compare the matches of a query between two tokens, or before and after a command",
    details: """
      A..B prints what the transactions after A, up to B, inserted, updated and deleted. A.. and A alone end with the
      newest transaction, ..B begins with the first one. The records are those that match now, and deleted records whose
      preserved values match; a condition on a value that is not preserved does not match. A record that was inserted and
      deleted is left out. The history has no old values.
      With -- COMMAND, the result of the query is noted, the command runs, and the exact difference of both results is
      printed: records that entered (+), changed (~, with old and new values) or left (-). Standard output of the command
      goes to standard error. With --author, only changes by this author count; the others are marked "during".
      The exit code is 0 if there is no difference, 1 if there is one, and 2 if the command fails.
      """,
    examples: [
      "followspot --store movies.store diff toy 40..",
      "followspot --store movies.store diff '*' 10..20 --author importer --format ndjson",
      "followspot --store movies.store diff year:2009.. -- followspot --store movies.store import new.csv --key href",
    ], isPaged: true)

  @Option("--author", "NAME", "only changes by this author; with a command: the author of its changes")
  var author: String?
  @Option(time: "--timeout", "TIME", "end the command and its processes after this time: 30s, 5m") var timeout: Int?
  private let query = QueryOptions.exact
  @Option("--format", "FORMAT") var format: ListFormat?

  func run(_ call: Call) throws -> ExitCode {
    if let count = call.countBeforeEnd { return try compare(call, aroundCommandAt: count) }
    if timeout != nil { throw CommandError("--timeout needs a command after --") }
    guard let text = call.positionals.last, let range = TokenRange(text) else {
      throw CommandError(
        "diff takes a range of tokens, or a command after --, after the query",
        hint: "diff QUERY 40..60, diff QUERY 40.., or diff QUERY -- COMMAND")
    }
    let words = call.positionals.dropLast()
    var printer = DifferencePrinter(format: format ?? .text)
    try call.upToDate(selection(call, words)) { searcher, selection in
      let difference = try HitDifference.read(selection, in: searcher, from: range.from, to: range.to)
      try printer.begin(query: words.joined(separator: " "), from: difference.from, to: difference.to)
      for change in difference.changes { try printer.print(change) }
    }
    printer.end()
    return printer.count > 0 ? .negative : .success
  }

  private func selection(_ call: Call, _ words: ArraySlice<String>) throws -> HitSelection {
    try call.hitSelection(Array(words), query.group, author: author)
  }

  /// Compares the results before and after a command.
  ///
  /// - Parameter count: The number of arguments that are the query.
  private func compare(_ call: Call, aroundCommandAt count: Int) throws -> ExitCode {
    let selection = try selection(call, call.positionals.prefix(count))
    guard selection.records.isEmpty else {
      throw CommandError("diff with a command takes a query, not identifiers", hint: "followspot help query")
    }
    let command = Array(call.positionals.dropFirst(count))
    guard !command.isEmpty else { throw call.usageError("diff takes a command after --") }
    let difference = try ResultDifference(author: author)
    try call.upToDate(selection.request) { try difference.begin($0, $1) }
    let end = try ObservedCommand(command).wait(limit: timeout)
    try StopSignal.check()
    try call.upToDate(selection.request) { try difference.end($0, $1) }
    var printer = DifferencePrinter(format: format ?? .text)
    var isDifferent = false
    try printer.begin(query: selection.request.query, from: difference.range?.from, to: difference.range?.to)
    try difference.eachChange { change in
      try printer.print(change, marksDuring: author != nil)
      if author == nil || !change.isDuring { isDifferent = true }
    }
    printer.end()
    Console.flush()
    if printer.count > 0, difference.range == nil {
      Console.say("the history between the two results is not known, so no transactions are named")
    }
    if let failure = end.failure { throw CommandError("the command \(command[0]) \(failure)") }
    return isDifferent ? .negative : .success
  }
}

/// A range of tokens: the transactions after one, up to another.
private struct TokenRange {
  let from: Int64
  /// nil for the newest transaction.
  let to: Int64?

  /// `A..B`, `A..`, `..B` or `A`; nil for any other text.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /(?<from>[0-9]*)(?<dots>\.\.)?(?<to>[0-9]*)/), text != "..", !text.isEmpty
    else { return nil }
    let (from, to) = (match.from, match.to)
    guard from.isEmpty || Int64(from) != nil, to.isEmpty || Int64(to) != nil else { return nil }
    self.from = Int64(from) ?? 0
    self.to = Int64(to)
  }
}

extension ObservedCommand.End {
  /// What failed, as the rest of a sentence; nil if nothing did.
  fileprivate var failure: String? {
    switch self {
    case .exit(0): nil
    case .exit(let code): "ended with exit code \(code)"
    case .signal(let number): "was ended by signal \(number)"
    case .timeout: "timed out"
    }
  }
}
