// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex

struct SavedCommand: Verb {
  static let description = CommandDescription(
    name: "saved", arguments: "add NAME QUERY… | list | remove NAME | run NAME | watch NAME…",
    summary: "keep searches under a name, and watch how their results change",
    details: """
      A saved search is kept in the index directory and survives rebuilds. It is Boolean: all words are required, and
      misspelt words are not corrected. With -n N it finds the N best matches.
      add checks the query and says how it will be watched. Most searches test only the records that a save changed. A
      search that depends on the clock, on the history or on the ranking is evaluated anew at each save.
      run searches, and prints the result as `search` does.
      watch prints an event for each record that enters or leaves the result or changes in it, until stopped. The first
      watch begins with the present result; a later one continues where the last one ended. After a crash the last events
      can come again, with the same identifiers in the same order. The number before the slash rises with each event, so
      that a receiver which stores it can skip what it has seen.
      A group keeps a saved search in all of its stores. The events of each store have their own numbers.
      With --exec, watch runs a shell command for each group of events. The events are lines of JSON on its standard input.
      If the command fails, it gets the same events again.
      A watch is a consumer of the history: `history purge` keeps what it has not read.
      """,
    examples: [
      "followspot --store movies.store saved add comedies genres:comedy rating:>=8",
      "followspot --store movies.store saved list",
      "followspot --store movies.store saved run comedies --fields title,year",
      "followspot --store movies.store saved watch comedies --once --initial",
      "followspot --store movies.store saved watch comedies --exec ./reload-widget",
      "followspot --store movies.store saved remove comedies",
    ],
    words: [("add", []), ("list", []), ("remove", []), ("run", []), ("watch", [])])

  @Option("--kind", "ENTITY", "add: only records of this entity; may be repeated") var kinds: [String]
  @Option("-n", "N", "add: only the N best matches; run: maximum number of hits") var limit: Int?
  @Option("--replace", "add: replace a saved search of this name") var replaces: Bool
  @Option("--format", "FORMAT", "add, list and watch: text or ndjson; list: also json; run: ") var format: ResultFormat?
  @Option("--initial", "watch: begin with the present result as events") var showsInitial: Bool
  @Option("--once", "watch: exit when all saved changes are processed") var isOnce: Bool
  @Option("--exec", "COMMAND", "watch: run a shell command with the events instead of printing them")
  var shellCommand: String?
  @Option(time: "--timeout", "TIME", "watch: end the command after this time (default: 60s)") var timeout: Int?
  @Option(
    time: "--every", "TIME", "watch: time between evaluations of a search that depends on the clock (default: 60s)")
  var pause: Int?
  private let output = OptionSelection(
    SearchOptions(),
    only: [
      "--offset", "--sort", "--facet", "--section-by", "--snippets", "--fields", "--scores", "--template", "--recent",
      "--boost",
    ], lead: "run: ")

  func run(_ call: Call) throws -> ExitCode {
    switch call.positionals.first {
    case "add":
      try call.take([$kinds, $limit, $replaces, $format], positionals: .max)
      return try add(call)
    case "list", nil:
      try call.take([$format], positionals: 1)
      return try list(call)
    case "remove":
      try call.take([], positionals: 2)
      return try call.eachStore { call in
        try SavedSearches(directory: call.indexDirectory()).remove(name(call), storePath: call.storePath())
        return .success
      }
    case "run":
      try call.take([$limit, $format] + output.names, positionals: 2)
      let search = try self.search(call)
      if !call.globals.hasNoPager { Pager.use() }
      return try Search(call, output.group, format: format, limit: limit).run(search.request, preset: search.limit)
    case "watch":
      try call.take(
        [$format, $showsInitial, $isOnce, $shellCommand, $timeout, $pause], positionals: call.positionals.count)
      return try watch(call)
    case let other?: throw call.usageError("saved has no subcommand '\(other)'")
    }
  }

  /// The name of the only saved search that a subcommand takes.
  private func name(_ call: Call) throws -> String {
    guard call.positionals.count == 2 else {
      throw CommandError("saved \(call.positionals[0]) takes the name of a saved search", hint: "followspot saved list")
    }
    return call.positionals[1]
  }

  /// The format that `--format` chooses.
  ///
  /// - Parameter formats: The formats that the subcommand has; the first one is the default.
  private func format(_ call: Call, of formats: [ResultFormat]) throws -> ResultFormat {
    guard let format else { return formats[0] }
    guard formats.contains(format) else {
      let known = formats.map(\.rawValue).joined(separator: ", ")
      throw CommandError("saved \(call.positionals.first ?? "list") prints \(known)")
    }
    return format
  }

  private func add(_ call: Call) throws -> ExitCode {
    let format = try format(call, of: [.text, .ndjson])
    guard call.positionals.count >= 3 else {
      throw CommandError("saved add takes a name and a query", hint: "followspot saved add comedies genres:comedy")
    }
    guard limit != 0 else { throw CommandError("-n takes a whole number from 1, not '0'") }
    let search = try SavedSearch(
      name: call.positionals[1], query: call.positionals.dropFirst(2).joined(separator: " "), kinds: kinds,
      limit: limit)
    // It is checked in all stores of a group before it is added to one.
    let calls = try call.memberCalls() ?? [call]
    let found = try calls.map { try search.dependences(in: $0.searcherOfStore()) }
    if !replaces {
      // The error of a name that is taken comes before the search is added to one of the stores.
      for call in calls {
        let searches = SavedSearches(directory: try call.indexDirectory())
        if try searches.list().contains(where: { $0.name == search.name }) { try searches.add(search) }
      }
    }
    for (call, dependences) in zip(calls, found) {
      try SavedSearches(directory: call.indexDirectory()).add(search, replaces: replaces)
      Console.accomplished = "the search '\(search.name)' is saved"
      if format == .ndjson {
        try call.labelled(JSONObject(search, dependences)).print()
      } else {
        Console.write(line: "\(call.label)\(search.name.printable): \(dependences.sentence)")
      }
    }
    return .success
  }

  /// The saved search of that name, which is the same in all stores of a group.
  private func search(_ call: Call) throws -> SavedSearch {
    let name = try name(call)
    let calls = try call.memberCalls() ?? [call]
    let all = try calls.map { try SavedSearches(directory: $0.indexDirectory()).search(named: name) }
    if let other = zip(calls, all).first(where: { !$1.isSame(as: all[0]) })?.0.member {
      throw CommandError(
        "the saved search '\(name)' of \(other) is not that of \(calls[0].member ?? "")",
        hint: "saved add --replace saves one for all stores of the group")
    }
    return all[0]
  }

  private func list(_ call: Call) throws -> ExitCode {
    let format = try format(call, of: [.text, .json, .ndjson])
    var documents: [JSONObject] = []
    var count = 0
    let code = try call.eachStore { call in
      let found = try list(call, format)
      (documents, count) = (documents + found, count + found.count)
      return .success
    }
    if format == .json { try JSONObject.document(["saved": documents]).print() }
    if format == .ndjson { for document in documents { try document.print() } }
    return max(code, count == 0 ? .negative : .success)
  }

  /// The saved searches of a store, which are printed as text.
  private func list(_ call: Call, _ format: ResultFormat) throws -> [JSONObject] {
    let directory = try call.indexDirectory()
    let all = try SavedSearches(directory: directory).list()
    let searcher = try all.isEmpty ? nil : call.searcherOfStore()
    var documents: [JSONObject] = []
    for search in all {
      let found = Result { try searcher.map(search.dependences) }
      let error: String? = if case .failure(let error) = found { String(describing: error) } else { nil }
      let dependences = (try? found.get()).flatMap(\.self)
      if format == .text {
        let cells =
          (call.member.map { [$0] } ?? []) + [
            search.name, search.query, error.map { "error: \($0)" } ?? dependences?.sentence ?? "",
          ]
        Console.write(cells: cells, separator: Console.separator)
      }
      let watcher = FileLock.holder(.saved(search.name), in: directory)?.pid
      documents.append(call.labelled(JSONObject(search, dependences, watcher: watcher, error: error)))
    }
    return documents
  }

  private func watch(_ call: Call) throws -> ExitCode {
    let format = try format(call, of: [.text, .ndjson])
    var names: [String] = []
    for name in call.positionals.dropFirst() where !names.contains(name) { names.append(name) }
    guard !names.isEmpty else {
      throw CommandError("saved watch takes names of saved searches", hint: "followspot saved list")
    }
    if shellCommand != nil, self.format != nil { throw CommandError("--exec and --format cannot be combined") }
    let receiver = shellCommand.map { SavedReceiver.command($0, milliseconds: timeout ?? 60_000) }
    return try SavedWatchers(
      names, call, receiver: receiver ?? .output(SavedEventPrinter(format: format, hasNames: names.count > 1)),
      every: .milliseconds(pause ?? 60_000), isOnce: isOnce, showsInitial: showsInitial
    ).run()
  }
}

extension Set<SavedSearch.Dependence> {
  /// How a search with these dependences is watched.
  var sentence: String {
    guard !isEmpty else { return "tests only changed records" }
    let names = SavedSearch.Dependence.allCases.filter(contains).map { dependence in
      switch dependence {
      case .clock: "the clock"
      case .history: "the history"
      case .ranking: "the ranking"
      case .unrecordedTables: "tables whose changes are not recorded"
      }
    }
    return "is evaluated anew at each save, because it depends on \(names.joined(separator: " and "))"
  }
}
