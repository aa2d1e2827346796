// SPDX-License-Identifier: MIT

internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json }

  static let config = CommandDescription(
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
    options: [OptionDescription("--format", "FORMAT", Format.self)], words: [("list", []), ("path", [])]
  ) { call in
    let format = try call.choice("--format", Format.self) ?? .text
    try call.take(["--format"], positionals: min(call.positionals.count, 1))
    switch call.positionals.first ?? "list" {
    case "list":
      let configuration = try Configuration.load()
      try list(configuration, format)
      if let problem = configuration.problem { throw problem }
    case "path":
      guard let file = Configuration.file() else {
        throw CommandError("neither XDG_CONFIG_HOME nor HOME names a directory for the configuration")
      }
      Console.write(file.printable + "\n")
    case let other: throw CommandError("config has no subcommand '\(other)'", hint: "followspot help config")
    }
    return .success
  }

  private static func list(_ configuration: Configuration, _ format: Format) throws {
    guard format == .text else { return try Console.write(json: ConfigurationDocument(configuration)) }
    if !configuration.exists, let file = configuration.file { Console.say("\(file) does not exist") }
    let stores = configuration.profiles.map { profile in
      (
        (profile.name == configuration.preset ? "* " : "  ") + profile.name,
        [profile.path, profile.index.map { "index \($0)" }, profile.definition.map { "definition \($0)" }]
          .compactMap(\.self).joined(separator: ", ")
      )
    }
    let rows =
      stores
      + configuration.groups.map {
        (($0.name == configuration.preset ? "* " : "  ") + $0.name, "group of " + $0.stores.joined(separator: ", "))
      }
    Console.write(table(rows.map { ($0.0.printable, $0.1.printable) }))
  }
}
