// SPDX-License-Identifier: MIT

internal import Followspot

/// The command that completion scripts call: `followspot __complete SHELL LINE [BREAKS]`.
enum Completion {
  /// Help does not list this verb, because only the scripts use it.
  static let verb = "__complete"

  /// Prints the candidates. An error prints nothing, because a message would disturb the line that the user is typing.
  static func run(_ arguments: [String]) -> ExitCode {
    guard arguments.count >= 2, let shell = Shell(rawValue: arguments[0]) else { return .failure }
    let words = CommandLineWords(arguments[1], shell: shell, breaks: arguments.count > 2 ? arguments[2] : "")
    let source = IndexCompletion(program: .followspot, vocabulary: vocabulary, savedSearches: savedSearches)
    guard var found = try? Completer(.followspot, source: source).candidates(for: words) else { return .negative }
    // A word that the shell will expand cannot be completed here. The shell completes file names itself.
    if words.isExpanded { found.words = [] }
    // Only bash needs quoted candidates: the other shells quote them themselves.
    Console.write(found.lines { shell == .bash ? words.replacement(for: $0) : $0 })
    return .success
  }

  private static func call(_ options: [String: String]) throws -> Call {
    try Call(CompletionCommand.self, ParsedArguments(verb: CompletionCommand.name, options: options.mapValues { [$0] }))
  }

  private static func vocabulary(_ options: [String: String]) -> IndexVocabulary {
    let call = try? call(options)
    return IndexVocabulary(storePath: try? call?.storePath(), directory: try? call?.indexDirectory())
  }

  private static func savedSearches(_ options: [String: String]) -> [String] {
    let searches = try? SavedSearches(directory: call(options).indexDirectory()).list()
    return searches?.map(\.name) ?? []
  }
}
