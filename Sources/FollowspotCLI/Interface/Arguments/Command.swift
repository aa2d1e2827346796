// SPDX-License-Identifier: MIT

/// A verb: its properties are its options.
protocol Command: OptionGroup, SendableMetatype {
  static var description: CommandDescription { get }
}

extension Command {
  static var name: String { description.name }
  /// The verb's own options.
  static var options: [OptionDescription] { declaredOptions.map(\.description) }
}

/// What help, manual pages and completion say of a verb, besides its options.
struct CommandDescription: Sendable {
  let name: String
  let arguments: String
  let summary: String
  let details: String
  let examples: [String]
  /// The subcommands that its first argument can be, each with the words that can follow.
  let words: [(word: String, next: [String])]
  /// Whether its output goes through a pager on a terminal.
  let isPaged: Bool

  init(
    name: String, arguments: String = "", summary: String, details: String, examples: [String],
    words: [(word: String, next: [String])] = [], isPaged: Bool = false
  ) {
    (self.name, self.arguments, self.summary, self.details) = (name, arguments, summary, details)
    (self.examples, self.words, self.isPaged) = (examples, words, isPaged)
  }

  /// Whether its arguments are a query or a partial query.
  var takesQuery: Bool { arguments.contains("QUERY") || arguments.contains("PREFIX") }
}

/// A program with verbs.
struct Program: Sendable {
  let version: String
  /// One line, for the manual.
  let summary: String
  let details: String
  let usage: String
  let examples: [String]
  let commands: [any Command.Type]
  /// Options that every verb takes, before or after its name.
  let globalOptions: [OptionDescription]
  /// The environment variables that every verb reads.
  let environment: [(String, String)]
  let exitCodes: [(code: ExitCode, meaning: String)]

  init(
    version: String, summary: String, details: String, usage: String, examples: [String],
    commands: [any Command.Type], globalOptions: any OptionGroup.Type,
    environment: [(String, String)], exitCodes: [(code: ExitCode, meaning: String)]
  ) {
    (self.version, self.summary, self.details, self.usage) = (version, summary, details, usage)
    (self.examples, self.commands, self.environment, self.exitCodes) = (examples, commands, environment, exitCodes)
    self.globalOptions = globalOptions.declaredOptions.map(\.description)
  }

  /// The verb with this name; nil if there is none.
  func command(named name: String) -> (any Command.Type)? {
    commands.first { $0.name == name }
  }

  /// All options of a verb: its own, `--json` if it has `--format json`, and the global ones.
  func options(of command: any Command.Type) -> [OptionDescription] {
    let own = command.options
    let hasJSON = own.contains { $0.name == "--format" && $0.choices.contains("json") }
    return own + (hasJSON ? [.abbreviation("--json", for: "--format", "json")] : []) + globalOptions
  }
}
