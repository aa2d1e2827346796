// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

struct PickCommand: Verb {
  static let description = CommandDescription(
    name: "pick", arguments: "[QUERY…]", summary: "search as you type, and print the identifiers of the chosen records",
    details: """
      The list is the result of `search` for what you have typed so far. A preview shows the record and the text that
      matches. Enter accepts the record under the cursor, Tab marks several records, Ctrl-T switches between the kinds,
      and Escape cancels. This verb runs fzf, which must be installed.
      --widget prints a script for a shell. In that shell, Alt-S then inserts the identifiers of the records you choose.
      For bash and zsh, add eval "$(followspot pick --widget bash)" to ~/.bashrc or ~/.zshrc, with the shell's name. For
      fish, add followspot pick --widget fish | source to ~/.config/fish/config.fish.
      """,
    examples: [
      "followspot --store movies.store pick",
      "followspot --store movies.store pick toy --print title",
      "followspot --store movies.store pick --exec 'followspot show {}'",
    ])

  @Option("--kind", "ENTITY", "begin with records of this entity") var kind: String?
  @Option("--print", "FIELD", "print this field of the chosen records (default: their identifiers)") var field: String?
  @Option("--exec", "COMMAND", "run a shell command for each chosen record; {} becomes its identifier")
  var shellCommand: String?
  @Option("--widget", "SHELL", "print a script that binds Alt-S to this verb: ") var shell: Shell?

  func run(_ call: Call) throws -> ExitCode {
    if let shell {
      try call.noPositionals()
      Console.write(PickWidget.text(for: shell))
      return .success
    }
    if field != nil, shellCommand != nil {
      throw CommandError("--print and --exec cannot be combined")
    }
    try Finder.check()
    let searcher: any RecordSearch = try call.searchGroup(nil) ?? call.searcherBuildingIndex()
    let selector = try field.map {
      try FieldSelector($0, entities: searcher.entities, option: "--print", isField: searcher.hasField)
    }
    let finder = try Finder(places: call.places(), kinds: PickList.kinds(of: searcher), kind: kind)
    let (code, chosen) = try finder.run(query: call.positionals.joined(separator: " ")) {
      try !searcher.records(named: $0).isEmpty
    }
    guard code == .success else { return code }
    if let shellCommand { return try run(shellCommand, for: chosen) }
    guard let selector else {
      for identifier in chosen { Console.write(line: identifier) }
      return chosen.isEmpty ? .negative : .success
    }
    var count = 0
    for identifier in chosen {
      guard
        let hit = try searcher.records(named: identifier).lazy.compactMap({
          try? searcher.hit($0, fields: selector.fields)
        }).first
      else {
        Console.say("there is no \(identifier) any more")
        continue
      }
      count += 1
      let texts = try selector.columns.map { try selector.text($0.column, of: hit, uri: false).printable }
      Console.write(line: texts.joined(separator: "\t"))
    }
    return count == 0 ? .negative : .success
  }

  /// Runs a shell command once for each identifier, until one fails.
  private func run(_ command: String, for identifiers: [String]) throws -> ExitCode {
    for identifier in identifiers {
      let quoted = identifier.quotedForShell
      let line = command.contains("{}") ? command.replacing("{}", with: quoted) : command + " " + quoted
      guard try ChildProcess.wait(ChildProcess.start("/bin/sh", ["sh", "-c", line])) else { return .failure }
    }
    return identifiers.isEmpty ? .negative : .success
  }
}
