// SPDX-License-Identifier: MIT

internal import Following
internal import SearchIndex
internal import Searching
internal import ShellInterface
internal import Watching

extension CommandDescription {
  static func addSaved(_ call: Invocation) throws -> ExitCode {
    try call.take(["--kind", "-n", "--replace", "--format"], positionals: .max)
    let format = try call.savedFormat([.text, .ndjson])
    guard call.positionals.count >= 3 else {
      throw CommandError("saved add takes a name and a query", hint: "followspot saved add comedies genres:comedy")
    }
    let search = try SavedSearch(
      name: call.positionals[1], query: call.positionals.dropFirst(2).joined(separator: " "),
      kinds: call.options["--kind"] ?? [], limit: try call.integer("-n", atLeast: 1))
    let searcher = try Searcher(storePath: try call.storePath(), directory: try call.indexDirectory())
    let dependences = try searcher.dependences(of: search)
    try SavedSearches(directory: call.indexDirectory()).add(search, replaces: call.has("--replace"))
    Console.accomplished = "the search '\(search.name)' is saved"
    if format == .ndjson {
      try Console.write(json: SavedSearchDocument(search, dependences: dependences))
    } else {
      Console.write("\(search.name.printable): \(dependences.sentence)\n")
    }
    return .success
  }

  static func listSaved(_ call: Invocation) throws -> ExitCode {
    let format = try call.savedFormat([.text, .json, .ndjson])
    let directory = try call.indexDirectory()
    let all = try SavedSearches(directory: directory).list()
    let searcher = try all.isEmpty ? nil : Searcher(storePath: try call.storePath(), directory: directory)
    let documents = all.map { search in
      let found = Result { try searcher?.dependences(of: search) }
      var document = SavedSearchDocument(search, dependences: try? found.get())
      if case .failure(let error) = found { document.error = String(describing: error) }
      document.watcher = FileLock.holder(.saved(search.name), in: directory)?.pid
      return document
    }
    switch format {
    case .json: try Console.write(json: SavedSearchesDocument(saved: documents))
    case .ndjson: for document in documents { try Console.write(json: document) }
    default:
      for document in documents {
        let cells = [document.name, document.query, document.error.map { "error: \($0)" } ?? document.sentence]
        Console.write(cells.map(\.printable).joined(separator: Console.isOutputTerminal ? "  " : "\t") + "\n")
      }
    }
    return all.isEmpty ? .negative : .success
  }
}

extension Invocation {
  /// The format that `--format` chooses.
  ///
  /// - Parameter formats: The formats that the subcommand has; the first one is the default.
  func savedFormat(_ formats: [ResultFormat]) throws -> ResultFormat {
    guard let format = try choice("--format", ResultFormat.self) else { return formats[0] }
    guard formats.contains(format) else {
      let known = formats.map(\.rawValue).joined(separator: ", ")
      throw CommandError("\(command.name) \(positionals.first ?? "list") prints \(known)")
    }
    return format
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
