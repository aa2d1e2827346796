// SPDX-License-Identifier: MIT

internal import Base

enum Verbs {
  /// All verbs, in the order of the help.
  static let all: [any Verb.Type] = [
    ImportCommand.self, SetCommand.self, DeleteCommand.self, MigrateCommand.self, AttachCommand.self,
    DetachCommand.self, ShowCommand.self, HistoryCommand.self, FeedCommand.self, LogCommand.self, DiffCommand.self,
    IndexCommand.self, WaitCommand.self, RebuildCommand.self, RollbackCommand.self, VerifyCommand.self,
    StatusCommand.self, FailedCommand.self, SearchCommand.self, PickCommand.self, SavedCommand.self, CountCommand.self,
    ExplainCommand.self, SuggestCommand.self, SQLCommand.self, SchemaCommand.self, DoctorCommand.self,
    ConfigCommand.self, ReplicateCommand.self, ServeCommand.self, ServiceCommand.self, CompletionCommand.self,
    TourCommand.self, HelpCommand.self,
  ]

  /// - Parameter hint: The hint if no verb has a similar name.
  static func verb(named name: String, hint: String? = nil) throws -> any Verb.Type {
    if let verb = all.first(where: { $0.name == name }) { return verb }
    let nearest = NearestNames.of(name, among: all.map { $0.name }).first
    throw CommandError("there is no verb '\(name)'", hint: nearest.map { "did you mean \($0)?" } ?? hint)
  }
}

extension Program {
  static let followspot = Program(
    version: "0.1.0", summary: "keep a full-text index in step with the history of a store, and search it",
    details: """
      Search an SQLite database or a SwiftData store in full text, and keep the index up to date with every change.
      """,
    usage: "[--store FILE] [--index DIR] VERB …",
    examples: ["followspot tour", "followspot --store movies.store search toy friendship year:1995..2010"],
    // One by one: to convert an array, Swift searches all conformances of the program for each element.
    commands: Verbs.all.map { $0 }, globalOptions: GlobalOptions.self,
    environment: [
      ("FOLLOWSPOT_STORE", "store to use without --store"),
      ("FOLLOWSPOT_INDEX", "index to use without --index"),
      ("XDG_CONFIG_HOME", "directory that contains followspot/config (default: ~/.config)"),
      ("XDG_CACHE_HOME", "directory for indexes of stores in read-only directories (default: ~/.cache)"),
      ("FOLLOWSPOT_VERIFY_PAUSE", "pause between the checks of an idle follower, in milliseconds, or off"),
      ("FOLLOWSPOT_PAGER", "pager for terminals (default: PAGER, then less -FRX; empty = none)"),
      ("NO_COLOR", "disable colour if it is not empty; --color takes precedence"),
    ],
    exitCodes: [
      (.success, "success: found, equal or done"), (.negative, "nothing found, or a difference found"),
      (.failure, "usage error, or an error without its own exit code"),
      (.missing, "the store or the index does not exist"),
      (.stale, "the answer is older than --max-lag allows, or a wait timed out"),
      (.locked, "another process holds the lock of the index, a saved search or a consumer"),
      (.historyGone, "history is missing and --no-reconcile was given"), (.corrupt, "the index is corrupt; rebuild it"),
      (.incomplete, "a part of a group is missing; what the others answer is printed"),
      (.temporary, "temporary failure; try again"),
    ])
}
