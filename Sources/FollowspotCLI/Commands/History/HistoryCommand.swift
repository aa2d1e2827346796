internal import Followspot

extension CommandDescription {
  static let history = CommandDescription(
    name: "history", arguments: "[list] | purge | consumers [add NAME | move NAME | drop NAME]",
    summary: "print, purge and share out the store's transactions",
    details: """
      list (or nothing) prints transactions and their changes, oldest first.
      purge removes old ones, those before a number or, with --keep, up to the first one younger than an age. It goes by
      number, not by clock, and never beyond the slowest consumer: that one's last transaction and everything after it
      stay, and it is named. The newest transaction stays always.
      consumers lists who reads the history. An index registers itself, and again at its next pass after it was dropped;
      others are added with the transaction they have read, moved on by it, and dropped. One that is gone, or that
      history has waited for longer than --stale-after, is named by every purge, and still waited for until it is
      dropped or, with --ignore, passed over.
      """,
    examples: [
      "followspot --store movies.store history --after 40",
      "followspot --store movies.store history --author importer --format ndjson",
      "followspot --store movies.store history purge --keep 7d --dry-run",
      "followspot --store movies.store history consumers add backup --token 40",
    ],
    options: [
      OptionDescription("--after", "TOKEN", "list: only transactions after this number"),
      OptionDescription("--author", "NAME", "list: only transactions of this author"),
      OptionDescription("--kind", "ENTITY", "list: only changes of this entity"),
      OptionDescription("-n", "N", "list: the first N transactions"),
      OptionDescription("--format", "FORMAT", HistoryFormat.self, "list and consumers: "),
      OptionDescription("--keep", "AGE", "purge: keep what is younger than 7d, 12h, 30m"),
      OptionDescription("--before", "N", "purge: keep transaction N and what follows"),
      OptionDescription("--dry-run", nil, "purge: count, and remove nothing"),
      OptionDescription("--ignore", "NAME", "purge: do not wait for this consumer; may be repeated"),
      OptionDescription("--stale-after", "AGE", "purge and consumers: when a consumer is stale, 30d"),
      OptionDescription("--token", "N", "consumers add and move: the last transaction read; add: else the newest"),
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
      throw FollowspotError(.usage, "history has no '\(other)'", hint: "followspot help history")
    }
  }

  enum HistoryFormat: String, CaseIterable { case text, json, ndjson, tsv }
}

extension Invocation {
  /// Refuses what a part of a verb does not take.
  func take(_ names: [String], positionals count: Int) throws {
    let part = ([command.name] + positionals.prefix(count)).joined(separator: " ")
    let common = CommandDescription.globalOptions.map(\.name)
    if let other = options.keys.sorted().first(where: { !names.contains($0) && !common.contains($0) }) {
      throw FollowspotError(.usage, "\(part) takes no \(other)", hint: "followspot help \(command.name)")
    }
    if let extra = positionals.dropFirst(count).first {
      throw FollowspotError(.usage, "\(part) takes no '\(extra)'", hint: "followspot help \(command.name)")
    }
  }

  func staleAfter() throws -> Double { try age("--stale-after") ?? Consumers.staleAfter }
}
