// SPDX-License-Identifier: MIT

internal import Followspot
internal import Values

enum Help {
  static func overview(_ commands: [CommandDescription]) -> String {
    """
    Search an SQLite database or a SwiftData store in full text, and keep the index up to date with every change.

    Examples:
      followspot tour
      followspot --store movies.store search toy friendship year:1995..2010

    followspot [--store FILE] [--index DIR] VERB …

    Verbs:
    \(CommandDescription.table(commands.map { ($0.name, $0.summary) }))
    Options of every verb:
    \(CommandDescription.table(CommandDescription.globalOptions))
    Environment:
    \(CommandDescription.table(environment))
    Exit codes:
    \(CommandDescription.table(ExitCode.meanings.map { ("\($0.code.rawValue)", $0.meaning) }))
    """
  }

  /// The environment variables that every verb reads.
  static let environment = [
    ("FOLLOWSPOT_STORE", "store to use without --store"),
    ("FOLLOWSPOT_INDEX", "index to use without --index"),
    ("XDG_CONFIG_HOME", "directory that contains followspot/config (default: ~/.config)"),
    ("XDG_CACHE_HOME", "directory for indexes of stores in read-only directories (default: ~/.cache)"),
    ("FOLLOWSPOT_VERIFY_PAUSE", "pause between the checks of an idle follower, in milliseconds, or off"),
    ("FOLLOWSPOT_PAGER", "pager for terminals (default: PAGER, then less -FRX; empty = none)"),
    ("NO_COLOR", "disable colour if it is not empty; --color takes precedence"),
  ]
}

extension CommandDescription {
  static let help = CommandDescription(
    name: "help", arguments: "[VERB | query | formats]",
    summary: "show help on a verb, the query language or the JSON schema",
    details: """
      With --man, print the manual page followspot(1) or followspot-VERB(1): pass it to man -l -, or save it in a
      directory of manual pages. `help query` describes the query language. `help formats` prints the JSON Schema of
      --format json and ndjson. Later versions of format 2 only add properties. --format-version 1 requests format 1,
      which names the records of ordinary databases by numbers.
      """,
    examples: ["followspot help search", "followspot help --man search | man -l -"],
    options: [OptionDescription("--man", nil, "print a manual page")], isPaged: true
  ) { call in
    let isManual = call.has("--man")
    let commands = FollowspotCommand.commands
    guard let verb = call.positionals.first else {
      if isManual { Console.write(ManualPage.overview(commands)) } else { Console.write(help: Help.overview(commands)) }
      return .success
    }
    if verb == "query", !isManual {
      Console.write(help: QueryHelp.text)
      return .success
    }
    if verb == "formats", !isManual {
      Console.write(JSONSchema.text)
      return .success
    }
    guard let command = commands.first(where: { $0.name == verb }) else {
      let nearest = NearestNames.of(verb, among: commands.map(\.name))
      throw CommandError("there is no verb '\(verb)'", hint: nearest.first.map { "did you mean \($0)?" })
    }
    if isManual { Console.write(ManualPage.of(command, among: commands)) } else { Console.write(help: command.help) }
    return .success
  }
}
