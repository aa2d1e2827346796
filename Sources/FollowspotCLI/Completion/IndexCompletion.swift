// SPDX-License-Identifier: MIT

internal import Followspot

/// Completes fields, kinds, flags, values and identifiers from the index, and names from the configuration.
struct IndexCompletion: CompletionSource {
  let program: Program
  /// Opens the vocabulary of the index that the options on the line name. It is called only if names or values are
  /// needed.
  let vocabulary: ([String: String]) -> IndexVocabulary
  /// The names of the saved searches of that index.
  let savedSearches: ([String: String]) -> [String]

  // MARK: Values

  /// Options whose FIELD is an attribute of the record. For other options, FIELD is a field of the definition.
  private static let takesAttribute: Set<String> = ["--key", "--sort"]

  func values(
    of option: OptionDescription, beginning text: String, _ lead: String, given: [String: String]
  ) throws -> Candidates {
    let list = vocabulary(given)
    switch option.value {
    case "FILE":
      guard option.name == "--store" else { return Candidates(kind: .files) }
      // The value is a name of the configuration, or a file.
      let configuration = try? Configuration.load()
      let names = (configuration?.profiles.map(\.name) ?? []) + (configuration?.groups.map(\.name) ?? [])
      var found = Candidates(names.map { .init(lead + $0) }, beginning: lead + text)
      found.kind = .files
      return found
    case "DIR": return Candidates(kind: .directories)
    case "ENTITY": return Candidates(list.kinds.map { .init(lead + $0) }, beginning: lead + text, anyCase: true)
    case let value? where value.hasPrefix("FIELD"):
      let names = Self.takesAttribute.contains(option.name) ? list.attributes : list.fields
      return last(of: names, lead, text)
    case "A,B": return last(of: list.attributes + FieldSelector.ownColumns.map(\.name), lead, text)
    default: return Candidates()
    }
  }

  /// Completes a name, or the last name of a comma-separated list.
  private func last(of names: [String], _ lead: String, _ text: String) -> Candidates {
    let comma = text.lastIndex(of: ",").map { text.index(after: $0) } ?? text.startIndex
    let before = lead + text[..<comma]
    return Candidates(names.map { .init(before + $0) }, beginning: lead + text, anyCase: true)
  }

  // MARK: Arguments

  func arguments(
    of command: CommandDescription, after positionals: [String], beginning text: String, given: [String: String]
  ) throws -> Candidates? {
    lazy var list = vocabulary(given)
    if let subcommand = positionals.first, !command.words.isEmpty {
      if command.name == SavedCommand.name, ["remove", "run", "watch"].contains(subcommand) {
        let names = savedSearches(given).filter { !positionals.contains($0) }
        return Candidates(names.map { .init($0) }, beginning: text)
      }
      return positionals.count > 1 && command.takesQuery ? try query(text, list) : nil
    }
    let arguments = command.arguments
    if arguments.contains("ID…") || arguments.contains("ID") && positionals.isEmpty {
      let records = try records(text, list)
      let words = try command.takesQuery && !text.contains("/") ? query(text, list).words : []
      if !records.isEmpty {
        return Candidates(words + records, kind: text.contains("/") ? .words : .open)
      }
    }
    if arguments.contains("FIELD=VALUE"), !text.contains(":"), let first = positionals.first {
      let named = Candidates(list.attributes.map { .init($0 + "=") }, beginning: text, anyCase: true)
      // After an identifier or an assignment, a query is not possible.
      let isQuery = try !list.isIdentifier(first) && !positionals.contains { $0.contains("=") }
      let words = try named.words + (isQuery ? query(text, list).words : [])
      return Candidates(words, kind: words.isEmpty ? .words : .open)
    }
    if command.takesQuery { return try query(text, list) }
    if arguments.contains("VERB") {
      let topics = [
        Candidates.Word("formats", help: "the schema of JSON output"),
        Candidates.Word("query", help: "the query language"),
      ]
      let verbs = program.commands.map { Candidates.Word($0.name, help: $0.description.summary) }
      return Candidates(verbs + topics, beginning: text)
    }
    if arguments.contains("FILE") || arguments.contains(".json") { return Candidates(kind: .files) }
    return Candidates()
  }

  /// Completes an identifier: first the kind and a slash, then the key.
  private func records(_ text: String, _ list: IndexVocabulary) throws -> [Candidates.Word] {
    if text.contains("/") { return try list.identifiers(beginning: text).map { .init($0) } }
    return Candidates(list.kinds.map { .init($0 + "/") }, beginning: text, anyCase: true).words
  }

  /// Completes one word of a query, such as `genres:com`, `is:fav` or `kind:M`; `-` or `(` can precede it.
  private func query(_ text: String, _ list: IndexVocabulary) throws -> Candidates {
    let start = text.firstIndex { !"-(".contains($0) } ?? text.endIndex
    let (lead, term) = (String(text[..<start]), text[start...])
    guard let colon = term.firstIndex(of: ":") else {
      let special = list.fields.isEmpty ? [] : IndexVocabulary.ownNames
      let names = list.fields + special.filter { !list.fields.contains($0) && ($0 != "is" || !list.flags.isEmpty) }
      var found = Candidates(names.map { .init(lead + $0 + ":") }, beginning: text, anyCase: true)
      if !found.words.isEmpty { found.kind = .open }
      return found
    }
    let field = String(term[..<colon])
    let rest = String(term[term.index(after: colon)...])
    let before = lead + field + ":"
    switch field.lowercased() {
    case "is": return Candidates(list.flags.map { .init(before + $0) }, beginning: text, anyCase: true)
    case "has": return Candidates(list.fields.map { .init(before + $0) }, beginning: text, anyCase: true)
    case "kind": return Candidates(list.kinds.map { .init(before + $0) }, beginning: text, anyCase: true)
    default:
      let beginning = rest.hasPrefix("\"") ? String(rest.dropFirst()) : rest
      let values = try list.values(ofField: field, prefix: beginning)
      return Candidates(values.map { .init(before + Self.quoted($0)) })
    }
  }

  /// The value in the query language: a quoted phrase if it has several words.
  private static func quoted(_ value: String) -> String {
    guard value.contains(where: { !$0.isLetter && !$0.isNumber }) else { return value }
    return "\"" + value.filter { $0 != "\"" } + "\""
  }
}
