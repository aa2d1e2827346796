// SPDX-License-Identifier: MIT

internal import ShellInterface
internal import Watching

extension CommandDescription {
  static let saved = CommandDescription(
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
    options: [
      OptionDescription("--kind", "ENTITY", "add: only records of this entity; may be repeated"),
      OptionDescription("-n", "N", "add: only the N best matches; run: maximum number of hits"),
      OptionDescription("--replace", nil, "add: replace a saved search of this name"),
      OptionDescription(
        "--format", "FORMAT", ResultFormat.self, "add, list and watch: text or ndjson; list: also json; run: "),
      OptionDescription("--initial", nil, "watch: begin with the present result as events"),
      OptionDescription("--once", nil, "watch: exit when all saved changes are processed"),
      OptionDescription("--exec", "COMMAND", "watch: run a shell command with the events instead of printing them"),
      OptionDescription("--timeout", "TIME", "watch: end the command after this time (default: 60s)"),
      OptionDescription(
        "--every", "TIME", "watch: time between evaluations of a search that depends on the clock (default: 60s)"),
    ] + runOptions,
    words: [("add", []), ("list", []), ("remove", []), ("run", []), ("watch", [])],
    searchNames: ["remove", "run", "watch"]
  ) { call in
    switch call.positionals.first {
    case "add": return try addSaved(call)
    case "list", nil:
      try call.take(["--format"], positionals: 1)
      return try listSaved(call)
    case "remove":
      try call.take([], positionals: 2)
      try SavedSearches(directory: call.indexDirectory()).remove(call.savedName(), storePath: call.storePath())
      return .success
    case "run":
      try call.take(["-n", "--format"] + runOptions.map(\.name), positionals: 2)
      let search = try SavedSearches(directory: call.indexDirectory()).search(named: call.savedName())
      if !call.has("--no-pager") { Pager.use() }
      return try CommandDescription.search(call, search.request, limit: search.limit)
    case "watch": return try watchSaved(call)
    case let other?:
      throw CommandError("saved has no subcommand '\(other)'", hint: "followspot help saved")
    }
  }

  /// The options of `search` that `saved run` takes, besides `-n` and `--format`.
  private static let runOptions: [OptionDescription] = {
    let names = [
      "--offset", "--sort", "--facet", "--section-by", "--snippets", "--fields", "--scores", "--template", "--recent",
      "--boost",
    ]
    return search.options.filter { names.contains($0.name) }.map {
      OptionDescription($0.name, $0.value, "run: " + $0.help)
    }
  }()
}

extension Invocation {
  /// The name of the only saved search that a subcommand takes.
  func savedName() throws -> String {
    guard positionals.count == 2 else {
      throw CommandError("saved \(positionals[0]) takes the name of a saved search", hint: "followspot saved list")
    }
    return positionals[1]
  }
}
