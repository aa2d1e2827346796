// SPDX-License-Identifier: MIT

internal import Followspot
internal import Store

struct ExplainCommand: Verb {
  static let description = CommandDescription(
    name: "explain", arguments: "ID QUERY…", summary: "explain why a record matches a query, or why it does not",
    details: """
      Print for each word and condition what it adds to the score, how many records have it, and in which fields this
      record has it. In a group, a store and a colon before the identifier, films:film/6, choose the store. The identifier may also stand behind the query. The exit code is 1 if the query does not find the
      record.
      """,
    examples: [
      "followspot --store movies.store explain Movie/p12 toy friendship",
      "followspot --store movies.store explain Movie/p12 'toy year:1995..2010 -genres:horror'",
    ], isPaged: true)

  private let query = QueryOptions()
  private let boosts = BoostOptions()
  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    var words = call.positionals
    let searcher = try call.recordSearch()
    let records = try words.map(searcher.records(named:))
    guard let position = records.firstIndex(where: { !$0.isEmpty }) else {
      throw CommandError(
        "explain takes an identifier and a query", hint: "identifiers look like \(searcher.exampleIdentifier)")
    }
    words.remove(at: position)
    var request = try query.request(words)
    boosts.apply(to: &request)
    let possible = records[position]
    let existing = try possible.count > 1 ? possible.filter { try searcher.hit($0) != nil } : possible
    guard existing.count < 2, let named = existing.first ?? possible.first else {
      let names = existing.map(\.text).joined(separator: ", ")
      throw CommandError("several stores have this record", hint: "name one of them: \(names)")
    }
    guard let explanation = try searcher.explain(named, request) else {
      Console.say("there is no \(named.text)")
      return .negative
    }
    if format == .json {
      let store: JSONObject = named.store.map { ["store": $0] } ?? [:]
      try (JSONObject(explanation, query: request.query) + store).print()
    } else if Console.isOutputTerminal {
      ExplanationSentences(explanation).print()
    } else {
      text(explanation)
    }
    return searcher.sayMissing(explanation.verdict == .no ? .negative : .success)
  }

  private func text(_ explanation: Explanation) {
    Console.write(line: "\(explanation.identifier.short)  \(explanation.title.printable)")
    let score = ScoreText.of(explanation.score)
    switch explanation.verdict {
    case .matches: Console.write(line: "found, score \(score)")
    case .widened: Console.write(line: "found with some of the words, behind those with all of them, score \(score)")
    case .no: Console.write(line: "not found")
    }
    for reason in explanation.reasons { Console.write(line: "  \(reason.printable)") }
    for part in explanation.parts { Console.write(line: "  \(line(part))") }
  }

  private func line(_ part: Explanation.Part) -> String {
    var line = part.text.printable + ": "
    switch (part.role, part.isThere) {
    case (.word, _) where part.isIgnored: line += part.isThere ? "there" : "not there"
    case (.word, true): line += "score " + ScoreText.of(part.score)
    case (.word, false): line += "the record does not have the word"
    case (.required, true): line += "yes" + (part.score > 0 ? ", score " + ScoreText.of(part.score) : "")
    case (.required, false): line += "no, and it is required"
    case (.excluded, true): line += "the record has it, and it is excluded"
    case (.excluded, false): line += "not there, as required"
    case (.preferred, _): return line + "score " + ScoreText.of(part.score)
    }
    line += "; in \(HumanText.count(part.frequency, "record"))"
    if !part.fields.isEmpty {
      let fields = part.fields.map { "\($0.field.printable) \(ScoreText.of($0.score))" }
      line += "; by field: " + fields.joined(separator: ", ")
    }
    if let note = part.note { line += "; " + note.printable }
    return line
  }
}
