internal import Followspot

/// What the completion scripts call: `followspot __complete SHELL LINE [BREAKS]`.
enum Completion {
  /// Stands in no help: it is for the scripts alone.
  static let verb = "__complete"

  enum Shell: String, CaseIterable { case bash, zsh, fish }

  /// Prints candidates. An error prints nothing, so that it does not disturb the line that is being typed.
  static func run(_ arguments: [String]) -> ExitCode {
    guard arguments.count >= 2, let shell = Shell(rawValue: arguments[0]) else { return .failure }
    let words = CommandLineWords(arguments[1], shell: shell, breaks: arguments.count > 2 ? arguments[2] : "")
    let completer = Completer(commands: FollowspotCommand.commands, vocabulary: vocabulary)
    guard var found = try? completer.candidates(for: words) else { return .negative }
    // What the shell is still to expand cannot be continued; names of files it completes itself.
    if words.isExpanded { found.words = [] }
    // The line editors of the other shells quote by themselves.
    Console.write(found.lines { shell == .bash ? words.replacement(for: $0) : $0 })
    return .success
  }

  private static func vocabulary(_ options: [String: String]) -> IndexVocabulary {
    let call = Invocation(command: .completion, options: options.mapValues { [$0] }, positionals: [])
    return IndexVocabulary(storePath: try? call.storePath(), directory: try? call.indexDirectory())
  }
}
