internal import Followspot

enum Help {
  static func overview(_ commands: [CommandDescription]) -> String {
    """
    followspot follows the transaction history of a SwiftData store and keeps a full-text index in step with it.

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

  /// The variables that matter to every verb.
  static let environment = [
    ("FOLLOWSPOT_STORE", "the store, where no --store names one"),
    ("FOLLOWSPOT_INDEX", "the index, where no --index names one"),
    ("XDG_CONFIG_HOME", "where followspot/config is, in the place of ~/.config"),
    ("XDG_CACHE_HOME", "where indexes lie whose store's directory cannot be written, in the place of ~/.cache"),
    ("FOLLOWSPOT_VERIFY_PAUSE", "milliseconds between the slices that an idle follower compares, or off"),
    ("FOLLOWSPOT_PAGER", "the pager on a terminal, else PAGER, else less -FRX; empty for none"),
    ("NO_COLOR", "no colour, where it is not empty; --color comes first"),
  ]
}

extension CommandDescription {
  static let help = CommandDescription(
    name: "help", arguments: "[VERB | query | formats]",
    summary: "print help on a verb, the query language, or the schema of JSON output",
    details: """
      With --man it is a manual page, followspot(1) or followspot-VERB(1), made from the same descriptions: pass it to
      man -l -, or keep it in a directory of manual pages. query is the query language on one page. formats is the JSON
      Schema of what --format json and ndjson print; later versions add to it and take nothing away, and
      --format-version 1 asks for it.
      """,
    examples: ["followspot help search", "followspot help --man search | man -l -"],
    options: [OptionDescription("--man", nil, "as a manual page")], isPaged: true
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
      throw FollowspotError(
        .usage, "there is no verb '\(verb)'", hint: nearest.first.map { "did you mean \($0)?" })
    }
    if isManual { Console.write(ManualPage.of(command, among: commands)) } else { Console.write(help: command.help) }
    return .success
  }
}
