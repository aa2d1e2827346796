// SPDX-License-Identifier: MIT

internal import ShellInterface

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
    \(CommandDescription.table(exitCodes.map { ("\($0.code.rawValue)", $0.meaning) }))
    """
  }

  /// The meanings of the exit codes.
  static let exitCodes: [(code: ExitCode, meaning: String)] = [
    (.success, "success: found, equal or done"), (.negative, "nothing found, or a difference found"),
    (.failure, "usage error, or an error without its own exit code"),
    (.missing, "the store or the index does not exist"),
    (.stale, "the answer is older than --max-lag allows, or a wait timed out"),
    (.locked, "another process holds the lock of the index, a saved search or a consumer"),
    (.historyGone, "history is missing and --no-reconcile was given"), (.corrupt, "the index is corrupt; rebuild it"),
    (.incomplete, "a remote part of a group does not answer; what the others answer is printed"),
    (.temporary, "temporary failure; try again"),
  ]

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
