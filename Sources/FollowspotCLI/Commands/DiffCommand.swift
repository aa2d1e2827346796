// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot

struct DiffCommand: Verb {
  static let description = CommandDescription(
    name: "diff", arguments: "QUERY… A..B",
    summary: "compare the matches of a query between two tokens",
    details: """
      A..B prints what the transactions after A, up to B, inserted, updated and deleted. A.. and A alone end with the
      newest transaction, ..B begins with the first one. The records are those that match now, and deleted records whose
      preserved values match; a condition on a value that is not preserved does not match. A record that was inserted and
      deleted is left out. In a group, A and B name a token for each store: films=12,music=7..films=14,music=9. Stores
      that A or B does not name begin with the first transaction, or end with the newest. The history has no old values.
      The exit code is 0 if there is no difference, and 1 if there is one.
      """,
    examples: [
      "followspot --store movies.store diff toy 40..",
      "followspot --store movies.store diff '*' 10..20 --author importer --format ndjson",
    ], isPaged: true)

  @Option("--author", "NAME", "only changes by this author")
  var author: String?
  private let query = QueryOptions.exact
  @Option("--format", "FORMAT") var format: ListFormat?

  func run(_ call: Call) throws -> ExitCode {
    guard let text = call.positionals.last, let range = TokenRange(text) else {
      throw CommandError(
        "diff takes a range of tokens after the query", hint: "diff QUERY 40..60, or diff QUERY 40..")
    }
    let words = call.positionals.dropLast()
    var printer = DifferencePrinter(format: format ?? .text)
    let code = try call.upToDate(selection(call, words)) { search, selection in
      let difference = try HitDifference.read(selection, in: search, from: range.from, to: range.to)
      Call.sayWithoutHistory(difference.withoutHistory)
      try printer.begin(query: words.joined(separator: " "), difference.ranges)
      for change in difference.changes { try printer.print(change) }
    }
    printer.end()
    return max(code, printer.count > 0 ? .negative : .success)
  }

  private func selection(_ call: Call, _ words: ArraySlice<String>) throws -> HitSelection {
    try call.hitSelection(Array(words), query.group, author: author)
  }
}

/// A range of tokens: the transactions after one, up to another.
private struct TokenRange {
  let from: StoreTokens
  /// nil for the newest transaction.
  let to: StoreTokens?

  /// `A..B`, `A..`, `..B` or `A`; nil for any other text.
  init?(_ text: String) {
    guard text != "..", !text.isEmpty else { return nil }
    if let only = StoreTokens(text) {
      (from, to) = (only, nil)
      return
    }
    // The name of a store may contain dots, too.
    let dots = text.ranges(of: "..").first {
      let behind = text[$0.upperBound...]
      return behind.isEmpty || StoreTokens(String(behind)) != nil
    }
    let (from, to) = (text[..<(dots?.lowerBound ?? text.endIndex)], dots.map { text[$0.upperBound...] } ?? "")
    guard let start = from.isEmpty ? StoreTokens(0) : StoreTokens(String(from)) else { return nil }
    self.from = start
    self.to = to.isEmpty ? nil : StoreTokens(String(to))
  }
}
