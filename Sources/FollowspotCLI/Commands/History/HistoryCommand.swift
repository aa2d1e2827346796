// SPDX-License-Identifier: MIT

internal import Following
internal import ShellInterface

extension CommandDescription {
  static let history = CommandDescription(
    name: "history", arguments: "[list] | purge | consumers [add NAME | move NAME | drop NAME]",
    summary: "list and purge transactions, manage history consumers",
    details: """
      list (the default) prints transactions and their changes, oldest first. On a terminal it prints a summary of each
      transaction with its first changes, newest first; with --after it starts with the oldest.
      purge removes the transactions before a number (--before). With --keep AGE, it removes the transactions before the
      first one that is younger than AGE. It selects transactions by number, not by time. It keeps the last transaction
      that the slowest consumer has read, and all later ones, and names that consumer. It always keeps the newest
      transaction.
      consumers lists the readers of the history. An index registers itself at its next pass. You can add other consumers,
      with the last transaction that they have read. You can also move and drop them. Each purge names consumers that are
      gone or stale (--stale-after). The purge still keeps the transactions that they have not read, unless you drop them
      or use --ignore.
      """,
    examples: [
      "followspot --store movies.store history --after 40",
      "followspot --store movies.store history --author importer --format ndjson",
      "followspot --store movies.store history purge --keep 7d --dry-run",
      "followspot --store movies.store history consumers add backup --token 40",
    ],
    options: [
      OptionDescription("--after", "TOKEN", "list: only transactions after this one"),
      OptionDescription("--author", "NAME", "list: only transactions by this author"),
      OptionDescription("--kind", "ENTITY", "list: only changes of this entity"),
      OptionDescription("-n", "N", "list: maximum number of transactions; on a terminal without --after, the last N"),
      OptionDescription("--format", "FORMAT", HistoryFormat.self, "list and consumers: "),
      OptionDescription("--keep", "AGE", "purge: keep transactions younger than AGE, such as 7d, 12h, 30m"),
      OptionDescription("--before", "N", "purge: keep transaction N and all later ones"),
      OptionDescription("--dry-run", nil, "purge: count transactions, and remove nothing"),
      OptionDescription("--ignore", "NAME", "purge: ignore this consumer; may be repeated"),
      OptionDescription("--stale-after", "AGE", "purge and consumers: age at which a consumer is stale (default: 30d)"),
      OptionDescription("--token", "N", "consumers add, move: last transaction read (default of add: the newest)"),
    ],
    words: [("list", []), ("purge", []), ("consumers", ["add", "move", "drop"])],
    isPaged: true
  ) { call in
    switch call.positionals.first ?? "list" {
    case "list":
      try call.take(["--after", "--author", "--kind", "-n", "--format"], positionals: 1)
      return try listHistory(call)
    case "purge":
      try call.take(["--keep", "--before", "--dry-run", "--ignore", "--stale-after"], positionals: 1)
      return try purgeHistory(call)
    case "consumers":
      return try consumers(call)
    case let other:
      throw CommandError("history has no subcommand '\(other)'", hint: "followspot help history")
    }
  }

  enum HistoryFormat: String, CaseIterable { case text, json, ndjson, tsv }
}

extension Invocation {
  /// Refuses options and arguments that the subcommand does not take.
  func take(_ names: [String], positionals count: Int) throws {
    let part = ([command.name] + positionals.prefix(count)).joined(separator: " ")
    let common = CommandDescription.globalOptions.map(\.name)
    if let other = options.keys.sorted().first(where: { !names.contains($0) && !common.contains($0) }) {
      throw CommandError("\(part) does not take \(other)", hint: "followspot help \(command.name)")
    }
    if let extra = positionals.dropFirst(count).first {
      throw CommandError("\(part) does not take '\(extra)'", hint: "followspot help \(command.name)")
    }
  }

  func staleAfter() throws -> Double { try age("--stale-after") ?? Consumers.staleAfter }
}
