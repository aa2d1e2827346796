// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

struct HistoryCommand: Verb {
  static let description = CommandDescription(
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
      The transactions of a group are listed in the order of their times.
      """,
    examples: [
      "followspot --store movies.store history --after 40",
      "followspot --store movies.store history --author importer --format ndjson",
      "followspot --store movies.store history purge --keep 7d --dry-run",
      "followspot --store movies.store history consumers add backup --token 40",
    ],
    words: [("list", []), ("purge", []), ("consumers", ["add", "move", "drop"])], isPaged: true)

  @Option(
    "--after", "TOKEN", "list: only transactions after this one; of a group: films=12,music=7",
    form: "a whole number from 0", StoreTokens.init) var after: StoreTokens?
  @Option("--author", "NAME", "list: only transactions by this author") var author: String?
  @Option("--kind", "ENTITY", "list: only changes of this entity") var kind: String?
  @Option("-n", "N", "list: maximum number of transactions; on a terminal without --after, the last N") var limit: Int?
  @Option("--format", "FORMAT", "list and consumers: ") var format: ListFormat?
  @Option(age: "--keep", "AGE", "purge: keep transactions younger than AGE, such as 7d, 12h, 30m") var keptAge: Double?
  @Option("--before", "N", "purge: keep transaction N and all later ones") var before: Int64?
  @Option("--dry-run", "purge: count transactions, and remove nothing") var isDryRun: Bool
  @Option("--ignore", "NAME", "purge: ignore this consumer; may be repeated") var ignored: [String]
  @Option(
    age: "--stale-after", "AGE", "purge and consumers: age at which a consumer is stale (default: 30d)")
  var staleAfter: Double?
  @Option("--token", "N", "consumers add, move: last transaction read (default of add: the newest)") var token: Int64?

  func run(_ call: Call) throws -> ExitCode {
    switch call.positionals.first ?? "list" {
    case "list":
      try call.take([$after, $author, $kind, $limit, $format], positionals: 1)
      return try list(call)
    case "purge":
      try call.take([$keptAge, $before, $isDryRun, $ignored, $staleAfter], positionals: 1)
      return try purge(call)
    case "consumers":
      guard let verb = call.positionals.dropFirst().first else {
        try call.take([$format, $staleAfter], positionals: 1)
        return try listConsumers(call)
      }
      return try changeConsumer(call, verb)
    case let other: throw call.usageError("history has no subcommand '\(other)'")
    }
  }

  private func list(_ call: Call) throws -> ExitCode {
    var missing: [MissingPart] = []
    let members = try call.callsWithHistory { missing.append($0) }.map { call in
      // The types of an ordinary database's preserved values are those of its columns in the index.
      let store = try call.store()
      try store.requireHistory()
      let titles = ChangeTitles(store: store, directory: try call.indexDirectory())
      return HistorySelection.Member(name: call.member, store: store, titles: titles)
    }
    let selection = try HistorySelection(
      members, of: call.memberCalls()?.compactMap(\.member) ?? [], after: after, author: author, kind: kind,
      limit: limit == 0 ? nil : limit)
    let count = try selection.withSnapshots {
      try selection.sayMissing()
      return format ?? .text == .text && Console.isOutputTerminal
        ? try selection.printList() : try selection.print(format ?? .text)
    }
    missing.say()
    return missing.isEmpty ? count > 0 ? .success : .negative : .incomplete
  }

  private func purge(_ call: Call) throws -> ExitCode {
    let bound: Purge.Bound
    switch (keptAge, before) {
    case (let seconds?, nil): bound = .keep(seconds: seconds)
    case (nil, let number?): bound = .before(number)
    default: throw call.usageError("history purge takes one of --keep AGE and --before N")
    }
    var options = Purge.Options(storePath: try call.storePath(), bound: bound)
    options.ignored = Set(ignored)
    options.staleAfter = staleAfter ?? Consumers.staleAfter
    let outcome = try isDryRun ? Purge(options).dryRun() : Purge(options).run()
    if outcome.removed.transactions > 0, !isDryRun { Console.accomplished = "the purge is complete" }
    try JSONObject(outcome, isDryRun: isDryRun).print()
    Console.flush()
    for sentence in outcome.sentences { Console.say(sentence) }
    if let name = outcome.heldBy?.name {
      Console.hint("followspot history consumers drop '\(name)' removes it, --ignore '\(name)' ignores it once")
    }
    return .success
  }

  // MARK: Consumers

  private func changeConsumer(_ call: Call, _ verb: String) throws -> ExitCode {
    guard ["add", "move", "drop"].contains(verb) else {
      throw call.usageError("history consumers has no subcommand '\(verb)'")
    }
    try call.take(verb == "drop" ? [] : [$token], positionals: 3)
    guard call.positionals.count == 3 else {
      throw CommandError("history consumers \(verb) takes the name of a consumer")
    }
    let name = call.positionals[2]
    let path = try call.storePath()
    // An error of the store is reported before an error of its consumers.
    _ = try StoreFile.open(path)
    let consumers = Consumers(storePath: path)
    let consumer: Consumer
    switch (verb, token) {
    case ("add", _): consumer = try consumers.add(name, token: token)
    case ("move", let token?): consumer = try consumers.move(name, token: token)
    case ("move", nil): throw CommandError("history consumers move needs --token N")
    default:
      try consumers.drop(name)
      return .success
    }
    Console.accomplished = "the consumer '\(name)' is at transaction \(consumer.token ?? 0)"
    try JSONObject(consumer).print()
    return .success
  }

  private func listConsumers(_ call: Call) throws -> ExitCode {
    let path = try call.storePath()
    let store = try StoreFile.open(path)
    let consumers = try store.withSnapshot {
      try Consumers(storePath: path).statuses(in: store, staleAfter: staleAfter ?? Consumers.staleAfter)
    }
    switch format ?? .text {
    case .text:
      for consumer in consumers {
        let lag = consumer.lag.map { ", \($0) behind" } ?? ""
        let place = consumer.token.map { "at \($0)\(lag)" } ?? "nowhere"
        Console.write(line: "\(consumer.name)  \(place)  \(consumer.statusText)".printable)
      }
    case .tsv:
      for consumer in consumers {
        Console.write(cells: [
          consumer.name, consumer.token.map { String($0) } ?? "", consumer.lag.map { String($0) } ?? "",
          consumer.seenText ?? "", consumer.state.rawValue,
        ])
      }
    case .ndjson: for consumer in consumers { try JSONObject(consumer).print() }
    case .json: try JSONObject.document(["consumers": consumers.map { JSONObject($0) }]).print()
    }
    return consumers.isEmpty ? .negative : .success
  }
}
