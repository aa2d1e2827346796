// SPDX-License-Identifier: MIT

internal import ShellInterface

/// One command-line option: its name, value, choices and help text.
struct OptionDescription: Sendable {
  /// The name with its dashes: `--store`, `-n`.
  let name: String
  /// The placeholder of its value in help; nil for an option without a value.
  let value: String?
  let help: String
  /// The permitted values; empty if any text is permitted.
  let choices: [String]
  /// The arguments that the parser puts in its place, if the option is an abbreviation.
  var expansion: [String] = []

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
    choices = []
  }

  /// An option that is an abbreviation of other arguments.
  init(_ name: String, for expansion: String...) {
    self.init(name, nil, "the same as " + expansion.joined(separator: " "))
    self.expansion = expansion
  }

  /// An option that takes one of a few values. Its help is `lead`, followed by these values.
  init<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: String, _: Choice.Type, _ lead: String = ""
  ) {
    self.name = name
    self.value = value
    choices = Choice.allCases.map(\.rawValue)
    help = lead + choices.dropLast().joined(separator: ", ") + " or " + (choices.last ?? "")
  }
}

/// One verb: its help, its arguments and options, and the function that runs it.
struct CommandDescription: Sendable {
  let name: String
  let arguments: String
  let summary: String
  let details: String
  let examples: [String]
  let options: [OptionDescription]
  /// The subcommands that its first argument can be, each with the words that can follow.
  var words: [(word: String, next: [String])] = []
  /// The subcommands that take names of saved searches.
  var searchNames: Set<String> = []
  /// Whether its output goes through a pager on a terminal.
  var isPaged = false
  /// Returns the exit code.
  let run: @Sendable (Invocation) throws -> ExitCode

  /// Options that every verb takes, before or after its name.
  static let globalOptions = [
    OptionDescription(
      "--store", "FILE",
      "path of a store, or a name of the configuration (default: $FOLLOWSPOT_STORE, then the configured default)"),
    OptionDescription(
      "--index", "DIR", "directory of the index (default: $FOLLOWSPOT_INDEX, then STORE.index or the user's cache)"),
    OptionDescription("--color", "WHEN", Style.When.self, "when to use colour: "),
    OptionDescription("--no-pager", nil, "do not use a pager"),
    OptionDescription("--format-version", "N", "version of the output formats that the script expects (default: 2)"),
    OptionDescription("--help", nil, "print this help"),
    OptionDescription("-h", for: "--help"),
    OptionDescription("--version", nil, "print the version"),
  ]

  /// All options of the verb: its own, `--json` if it has `--format json`, and the global ones.
  var allOptions: [OptionDescription] {
    let hasJSON = options.contains { $0.name == "--format" && $0.choices.contains("json") }
    return options + (hasJSON ? [OptionDescription("--json", for: "--format", "json")] : []) + Self.globalOptions
  }

  /// Whether its arguments are a query or a partial query.
  var takesQuery: Bool { arguments.contains("QUERY") || arguments.contains("PREFIX") }

  var help: String {
    var text = "Examples:\n" + examples.map { "  \($0)\n" }.joined()
    text += "\nfollowspot \(name)\(arguments.isEmpty ? "" : " " + arguments)\n  \(summary)\n"
    if !details.isEmpty { text += "\n\(details)\n" }
    text += "\nOptions:\n" + Self.table(allOptions)
    return text
  }

  static func table(_ options: [OptionDescription]) -> String {
    let rows = options.map { ($0.name + ($0.value.map { " " + $0 } ?? ""), $0.help) }
    return table(rows)
  }

  static func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 + "\n" }.joined()
  }
}
