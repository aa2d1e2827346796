// SPDX-License-Identifier: MIT

internal import FoundationEssentials

struct ConfigCommand: Verb {
  static let description = CommandDescription(
    name: "config", arguments: "[list | path]", summary: "list the stores of the configuration",
    details: """
      The configuration is $XDG_CONFIG_HOME/followspot/config (default: ~/.config/followspot/config). It gives names to
      stores, for --store and $FOLLOWSPOT_STORE. One of them is the default:

      [default]
      store = movies
      [store "movies"]
      path = ~/films.store
      index = ~/.cache/films.index
      definition = ~/films.json
      [group "all"]
      stores = movies, photos

      index and definition are optional; `index` and `rebuild` use the definition. A group names several stores, which
      `search`, `count` and `status` read together. Among them can be indexes of other machines, as HOST:PORT (`followspot
      help serve`). Stores and groups share one space of names, and a group can be the default. A file in the working directory takes precedence over a store of that name.
      list (the default) prints each store with its files, and marks the default store with a star. path prints the path
      of the configuration file.
      """,
    examples: ["followspot config", "followspot --store movies search toy # a store of followspot config list"],
    words: [("list", []), ("path", [])])

  @Option("--format", "FORMAT") var format: DocumentFormat?

  func run(_ call: Call) throws -> ExitCode {
    try call.take([$format], positionals: min(call.positionals.count, 1))
    switch call.positionals.first ?? "list" {
    case "list":
      let configuration = try Configuration.load()
      if format == .json { try document(configuration).print() } else { list(configuration) }
      if let problem = configuration.problem { throw problem }
    case "path":
      guard let file = ConfigurationFile.path(ProcessInfo.processInfo.environment) else {
        throw CommandError("neither XDG_CONFIG_HOME nor HOME names a directory for the configuration")
      }
      Console.write(line: file.printable)
    case let other: throw call.usageError("config has no subcommand '\(other)'")
    }
    return .success
  }

  private func document(_ configuration: Configuration) -> JSONObject {
    let stores = configuration.profiles.map {
      ["name": $0.name, "path": $0.path, "index": $0.index, "definition": $0.definition] as JSONObject
    }
    let groups = configuration.groups.map { ["name": $0.name, "stores": $0.stores] as JSONObject }
    return .document([
      "file": configuration.file, "exists": configuration.exists, "default": configuration.preset, "stores": stores,
      "groups": groups,
    ])
  }

  private func list(_ configuration: Configuration) {
    if !configuration.exists, let file = configuration.file { Console.say("\(file) does not exist") }
    let stores = configuration.profiles.map { profile in
      let parts = [profile.path, profile.index.map { "index \($0)" }, profile.definition.map { "definition \($0)" }]
      return (profile.name, parts.compactMap(\.self).joined(separator: ", "))
    }
    let groups = configuration.groups.map { ($0.name, "group of " + $0.stores.joined(separator: ", ")) }
    let rows = (stores + groups).map { name, what in
      ((name == configuration.preset ? "* " : "  ") + name.printable, what.printable)
    }
    Console.write(Help.table(rows))
  }
}
