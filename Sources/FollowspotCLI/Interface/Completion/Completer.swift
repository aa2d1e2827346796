// SPDX-License-Identifier: MIT

/// Finds candidates that the descriptions of verbs and options do not contain.
protocol CompletionSource {
  /// Completes the value of an option without fixed choices.
  ///
  /// - Parameters:
  ///   - lead: The text before the value inside the same word, such as `--format=`.
  ///   - given: The options before the cursor.
  func values(
    of option: OptionDescription, beginning text: String, _ lead: String, given: [String: String]
  ) throws -> Candidates

  /// Completes an argument; nil for the words of the verb's description.
  func arguments(
    of command: CommandDescription, after positionals: [String], beginning text: String, given: [String: String]
  ) throws -> Candidates?
}

/// Finds the completion candidates at the cursor.
struct Completer {
  private let program: Program
  private let source: any CompletionSource

  init(_ program: Program, source: any CompletionSource) { (self.program, self.source) = (program, source) }

  func candidates(for words: CommandLineWords) throws -> Candidates {
    var line = Line(program: program)
    for word in words.complete.dropFirst() { line.take(word) }
    let current = words.current
    if let option = line.pending { return try values(of: option, beginning: current, "", line) }
    if !line.isEnded, current.hasPrefix("--"), let equals = current.firstIndex(of: "="),
      let option = line.known.first(where: { $0.name == current[..<equals] && $0.value != nil })
    {
      let lead = String(current[...equals])
      return try values(of: option, beginning: String(current[current.index(after: equals)...]), lead, line)
    }
    if !line.isEnded, current.hasPrefix("-") {
      let found = Candidates(line.known.map { .init($0.name, help: $0.help) }, beginning: current)
      // In a query, `-word` excludes a word.
      guard found.words.isEmpty, line.command?.description.takesQuery == true else { return found }
    }
    guard let command = line.command?.description else {
      let verbs = program.commands.map { Candidates.Word($0.name, help: $0.description.summary) }
      return Candidates(verbs, beginning: current)
    }
    if line.positionals.isEmpty, !command.words.isEmpty {
      return Candidates(command.words.map { .init($0.word) }, beginning: current)
    }
    let found = try source.arguments(of: command, after: line.positionals, beginning: current, given: line.given)
    if let found { return found }
    let next = command.words.first { [$0.word] == line.positionals }?.next ?? []
    return Candidates(next.map { .init($0) }, beginning: current)
  }

  private func values(
    of option: OptionDescription, beginning text: String, _ lead: String, _ line: Line
  ) throws -> Candidates {
    guard option.choices.isEmpty else {
      return Candidates(option.choices.map { .init(lead + $0) }, beginning: lead + text)
    }
    return try source.values(of: option, beginning: text, lead, given: line.given)
  }

  /// The words before the cursor, parsed as far as completion needs it.
  private struct Line {
    let program: Program
    var command: (any Command.Type)?
    var positionals: [String] = []
    var given: [String: String] = [:]
    /// The option whose value is at the cursor.
    var pending: OptionDescription?
    var isEnded = false

    init(program: Program) { self.program = program }

    var known: [OptionDescription] { command.map(program.options) ?? program.globalOptions }

    mutating func take(_ word: String) {
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
      } else if command == nil, let found = program.command(named: word) {
        command = found
      } else {
        positionals.append(word)
      }
    }
  }
}
