// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import Searching
internal import ShellInterface

/// Finds the completion candidates at the cursor. Verbs, options and choices come from the command descriptions;
/// fields, kinds, flags and values come from the index.
struct Completer {
  let commands: [CommandDescription]
  /// Opens the vocabulary of the index that the options on the line name. It is called only if names or values are
  /// needed.
  let vocabulary: ([String: String]) -> IndexVocabulary
  /// The names of the saved searches of that index.
  let savedSearches: ([String: String]) -> [String]

  func candidates(for words: CommandLineWords) throws -> Candidates {
    var line = Line(globals: CommandDescription.globalOptions)
    for word in words.complete.dropFirst() { line.take(word, commands) }
    let current = words.current
    if let option = line.pending { return try values(of: option, beginning: current, "", line) }
    if !line.isEnded, current.hasPrefix("--"), let equals = current.firstIndex(of: "="),
      let option = line.known.first(where: { $0.name == current[..<equals] && $0.value != nil })
    {
      let lead = String(current[...equals])
      return try values(of: option, beginning: String(current[current.index(after: equals)...]), lead, line)
    }
    if !line.isEnded, current.hasPrefix("-") {
      let found = options(line.known, beginning: current)
      // In a query, `-word` excludes a word.
      guard found.words.isEmpty, line.command?.takesQuery == true else { return found }
    }
    guard let command = line.command else {
      return Self.matching(commands.map { Candidates.Word($0.name, help: $0.summary) }, current)
    }
    return try arguments(of: command, line, beginning: current)
  }

  /// The words before the cursor, parsed as far as completion needs it.
  private struct Line {
    let globals: [OptionDescription]
    var command: CommandDescription?
    var positionals: [String] = []
    var given: [String: String] = [:]
    /// The option whose value is at the cursor.
    var pending: OptionDescription?
    var isEnded = false

    init(globals: [OptionDescription]) { self.globals = globals }

    var known: [OptionDescription] { command?.allOptions ?? globals }

    mutating func take(_ word: String, _ commands: [CommandDescription]) {
      if let option = pending {
        given[option.name] = word
        pending = nil
      } else if !isEnded, word == "--" {
        isEnded = true
      } else if !isEnded, let option = known.first(where: { $0.name == word }) {
        if option.value != nil { pending = option }
      } else if !isEnded, word.hasPrefix("--") {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { given[parts[0]] = parts[1] }
      } else if command == nil, let found = commands.first(where: { $0.name == word }) {
        command = found
      } else {
        positionals.append(word)
      }
    }
  }

  private func options(_ known: [OptionDescription], beginning text: String) -> Candidates {
    Self.matching(known.map { Candidates.Word($0.name, help: $0.help) }, text)
  }

  private static func matching(_ words: [Candidates.Word], _ text: String, anyCase: Bool = false) -> Candidates {
    func shown(_ text: String) -> String { anyCase ? text.lowercased() : text }
    let wanted = shown(text)
    return Candidates(words.filter { shown($0.text).hasPrefix(wanted) })
  }

  // MARK: Values

  /// Options whose FIELD is an attribute of the record. For other options, FIELD is a field of the definition.
  private static let takesAttribute: Set<String> = ["--key", "--sort"]

  /// - Parameter lead: The text before the value inside the same word, such as `--format=`.
  private func values(
    of option: OptionDescription, beginning text: String, _ lead: String, _ line: Line
  ) throws -> Candidates {
    guard option.choices.isEmpty else {
      return Self.matching(option.choices.map { .init(lead + $0) }, lead + text)
    }
    let list = vocabulary(line.given)
    switch option.value {
    case "FILE":
      guard option.name == "--store" else { return Candidates(kind: .files) }
      // The value is a name of the configuration, or a file.
      let configuration = try? Configuration.load()
      let names = (configuration?.profiles.map(\.name) ?? []) + (configuration?.groups.map(\.name) ?? [])
      var found = Self.matching(names.map { .init(lead + $0) }, lead + text)
      found.kind = .files
      return found
    case "DIR": return Candidates(kind: .directories)
    case "ENTITY": return Self.matching(list.kinds.map { .init(lead + $0) }, lead + text, anyCase: true)
    case let value? where value.hasPrefix("FIELD"):
      let names = Self.takesAttribute.contains(option.name) ? list.attributes : list.fields
      return last(of: names, lead, text)
    case "A,B": return last(of: list.attributes + FieldSelector.ownColumns, lead, text)
    default: return Candidates()
    }
  }

  /// Completes a name, or the last name of a comma-separated list.
  private func last(of names: [String], _ lead: String, _ text: String) -> Candidates {
    let comma = text.lastIndex(of: ",").map { text.index(after: $0) } ?? text.startIndex
    let before = lead + text[..<comma]
    return Self.matching(names.map { .init(before + $0) }, lead + text, anyCase: true)
  }

  // MARK: Arguments

  private func arguments(
    of command: CommandDescription, _ line: Line, beginning text: String
  ) throws -> Candidates {
    if !command.words.isEmpty {
      switch line.positionals.count {
      case 0: return Self.matching(command.words.map { .init($0.word) }, text)
      case _ where command.searchNames.contains(line.positionals[0]):
        let names = savedSearches(line.given).filter { !line.positionals.contains($0) }
        return Self.matching(names.map { .init($0) }, text)
      case 2... where command.takesQuery: return try query(text, vocabulary(line.given))
      case 1:
        let next = command.words.first { $0.word == line.positionals[0] }?.next ?? []
        return Self.matching(next.map { .init($0) }, text)
      default: return Candidates()
      }
    }
    let arguments = command.arguments
    if arguments.contains("ID…") || arguments.contains("ID") && line.positionals.isEmpty {
      let list = vocabulary(line.given)
      let records = try records(text, list)
      let words = try command.takesQuery && !text.contains("/") ? query(text, list).words : []
      if !records.isEmpty {
        return Candidates(words + records, kind: text.contains("/") ? .words : .open)
      }
    }
    if arguments.contains("FIELD=VALUE"), !text.contains(":"), let first = line.positionals.first {
      let list = vocabulary(line.given)
      let named = Self.matching(list.attributes.map { .init($0 + "=") }, text, anyCase: true)
      // After an identifier or an assignment, a query is not possible.
      let isQuery = try !list.isIdentifier(first) && !line.positionals.contains { $0.contains("=") }
      let words = try named.words + (isQuery ? query(text, list).words : [])
      return Candidates(words, kind: words.isEmpty ? .words : .open)
    }
    if command.takesQuery { return try query(text, vocabulary(line.given)) }
    if arguments.contains("VERB") {
      let topics = [
        Candidates.Word("formats", help: "the schema of JSON output"),
        Candidates.Word("query", help: "the query language"),
      ]
      return Self.matching(commands.map { .init($0.name, help: $0.summary) } + topics, text)
    }
    if arguments.contains("FILE") || arguments.contains(".json") { return Candidates(kind: .files) }
    return Candidates()
  }

  /// Completes an identifier: first the kind and a slash, then the key.
  private func records(_ text: String, _ list: IndexVocabulary) throws -> [Candidates.Word] {
    if text.contains("/") { return try list.identifiers(beginning: text).map { .init($0) } }
    return Self.matching(list.kinds.map { .init($0 + "/") }, text, anyCase: true).words
  }

  /// Completes one word of a query, such as `genres:com`, `is:fav` or `kind:M`; `-` or `(` can precede it.
  private func query(_ text: String, _ list: IndexVocabulary) throws -> Candidates {
    let start = text.firstIndex { !"-(".contains($0) } ?? text.endIndex
    let (lead, term) = (String(text[..<start]), text[start...])
    guard let colon = term.firstIndex(of: ":") else {
      let special = list.fields.isEmpty ? [] : IndexVocabulary.ownNames
      let names = list.fields + special.filter { !list.fields.contains($0) && ($0 != "is" || !list.flags.isEmpty) }
      var found = Self.matching(names.map { .init(lead + $0 + ":") }, text, anyCase: true)
      if !found.words.isEmpty { found.kind = .open }
      return found
    }
    let field = String(term[..<colon])
    let rest = String(term[term.index(after: colon)...])
    let before = lead + field + ":"
    switch field.lowercased() {
    case "is": return Self.matching(list.flags.map { .init(before + $0) }, text, anyCase: true)
    case "has": return Self.matching(list.fields.map { .init(before + $0) }, text, anyCase: true)
    case "kind": return Self.matching(list.kinds.map { .init(before + $0) }, text, anyCase: true)
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
