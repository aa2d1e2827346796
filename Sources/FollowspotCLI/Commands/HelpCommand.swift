// SPDX-License-Identifier: MIT

internal import ShellInterface
internal import Values

extension CommandDescription {
  static let help = CommandDescription(
    name: "help", arguments: "[VERB | query | formats]",
    summary: "show help on a verb, the query language or the JSON schema",
    details: """
      With --man, print the manual page followspot(1) or followspot-VERB(1): pass it to man -l -, or save it in a
      directory of manual pages. `help query` describes the query language. `help formats` prints the JSON Schema of
      --format json and ndjson. Later versions of format 2 only add properties. --format-version 1 requests format 1,
      which names the records of ordinary databases by numbers.
      """,
    examples: ["followspot help search", "followspot help --man search | man -l -"],
    options: [OptionDescription("--man", nil, "print a manual page")], isPaged: true
  ) { call in
    let isManual = call.has("--man")
    let commands = CommandDescription.all
    guard let verb = call.positionals.first else {
      if isManual { Console.write(ManualPage.overview(commands)) } else { Console.write(help: Help.overview(commands)) }
      return .success
    }
    if verb == "query", !isManual {
      Console.write(help: QueryHelp.text)
      return .success
    }
    if verb == "formats", !isManual {
      Console.write(JSONSchema.text)
      return .success
    }
    guard let command = commands.first(where: { $0.name == verb }) else {
      let nearest = NearestNames.of(verb, among: commands.map(\.name))
      throw CommandError("there is no verb '\(verb)'", hint: nearest.first.map { "did you mean \($0)?" })
    }
    if isManual { Console.write(ManualPage.of(command, among: commands)) } else { Console.write(help: command.help) }
    return .success
  }
}
