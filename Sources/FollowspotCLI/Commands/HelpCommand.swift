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
    Exit codes: 0 found, equal, done; 1 nothing found, different; 2 usage or run-time error; 3 no store or no index;
    4 wait timed out; 5 another process holds the index; 6 history gone; 7 index corrupt; 75 try again.

    """
  }
}

extension CommandDescription {
  static let help = CommandDescription(
    name: "help", arguments: "[VERB]", summary: "print help on a verb", details: "",
    examples: ["followspot help search", "followspot search --help"], options: []
  ) { call in
    guard let verb = call.positionals.first else {
      Console.write(Help.overview(FollowspotCommand.commands))
      return .success
    }
    guard let command = FollowspotCommand.commands.first(where: { $0.name == verb }) else {
      let nearest = NearestNames.of(verb, among: FollowspotCommand.commands.map(\.name))
      throw FollowspotError(
        .usage, "there is no verb '\(verb)'", hint: nearest.first.map { "did you mean \($0)?" })
    }
    Console.write(command.help)
    return .success
  }
}
