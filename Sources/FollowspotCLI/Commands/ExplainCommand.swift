// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import Searching
internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let explain = CommandDescription(
    name: "explain", arguments: "ID QUERY…", summary: "explain why a record matches a query, or why it does not",
    details: """
      Print for each word and condition what it adds to the score, how many records have it, and in which fields this
      record has it. The identifier may also stand behind the query. The exit code is 1 if the query does not find the
      record.
      """,
    examples: [
      "followspot --store movies.store explain Movie/p12 toy friendship",
      "followspot --store movies.store explain Movie/p12 'toy year:1995..2010 -genres:horror'",
    ],
    options: queryOptions + boostOptions + [OptionDescription("--format", "FORMAT", Format.self)], isPaged: true
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    var words = call.positionals
    let searcher = try Searcher(storePath: try call.storePath(), directory: try call.indexDirectory())
    let records = try words.map(searcher.record(named:))
    guard let position = records.firstIndex(where: { $0 != nil }), let identifier = records[position] else {
      throw CommandError(
        "explain takes an identifier and a query", hint: "identifiers look like \(searcher.exampleIdentifier)")
    }
    words.remove(at: position)
    var request = try request(call)
    try takeBoosts(call, &request)
    request.query = words.joined(separator: " ")
    guard let explanation = try searcher.explain(identifier, request) else {
      Console.say("there is no \(identifier.short)")
      return .negative
    }
    switch format {
    case .json: try Console.write(json: ExplanationDocument(explanation, query: request.query))
    case .text where Console.isOutputTerminal: ExplanationSentences(explanation: explanation).print()
    case .text: text(explanation)
    }
    return explanation.verdict == .no ? .negative : .success
  }

  private static func text(_ explanation: Explanation) {
    Console.write("\(explanation.identifier.short)  \(explanation.title.printable)\n")
    let score = FieldSelector.score(explanation.score)
    switch explanation.verdict {
    case .matches: Console.write("found, score \(score)\n")
    case .widened: Console.write("found with some of the words, behind those with all of them, score \(score)\n")
    case .no: Console.write("not found\n")
    }
    for reason in explanation.reasons { Console.write("  \(reason.printable)\n") }
    for part in explanation.parts { Console.write("  \(line(part))\n") }
  }

  private static func line(_ part: Explanation.Part) -> String {
    var line = part.text.printable + ": "
    switch (part.role, part.isThere) {
    case (.word, _) where part.isIgnored: line += part.isThere ? "there" : "not there"
    case (.word, true): line += "score " + FieldSelector.score(part.score)
    case (.word, false): line += "the record does not have the word"
    case (.required, true): line += "yes" + (part.score > 0 ? ", score " + FieldSelector.score(part.score) : "")
    case (.required, false): line += "no, and it is required"
    case (.excluded, true): line += "the record has it, and it is excluded"
    case (.excluded, false): line += "not there, as required"
    case (.preferred, _): return line + "score " + FieldSelector.score(part.score)
    }
    line += "; in \(part.frequency) record\(part.frequency == 1 ? "" : "s")"
    if !part.fields.isEmpty {
      let fields = part.fields.map { "\($0.field.printable) \(FieldSelector.score($0.score))" }
      line += "; by field: " + fields.joined(separator: ", ")
    }
    if let note = part.note { line += "; " + note.printable }
    return line
  }
}
