// SPDX-License-Identifier: MIT

enum Help {
  static let version = "0.1.0"

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
