// SPDX-License-Identifier: MIT

struct HelpCommand: Verb {
  static let description = CommandDescription(
    name: "help", arguments: "[VERB | query | formats]",
    summary: "show help on a verb, the query language or the JSON schema",
    details: """
      With --man, print the manual page followspot(1) or followspot-VERB(1): pass it to man -l -, or save it in a
      directory of manual pages. `help query` describes the query language. `help formats` prints the JSON Schema of
      --format json and ndjson. Later versions of format 2 only add properties. --format-version 1 requests format 1,
      which names the records of ordinary databases by numbers.
      """,
    examples: ["followspot help search", "followspot help --man search | man -l -"], isPaged: true)

  @Option("--man", "print a manual page") var isManual: Bool

  func run(_ call: Call) throws -> ExitCode {
    let program = Program.followspot
    guard let verb = call.positionals.first else {
      if isManual {
        Console.write(ManualPage(of: program).overview)
      } else {
        Console.write(help: Help.overview(program))
      }
      return .success
    }
    switch verb {
    case "query" where !isManual: Console.write(help: QueryHelp.text)
    case "formats" where !isManual: Console.write(FormatVersion.schema)
    default:
      let command = try Verbs.verb(named: verb)
      if isManual {
        Console.write(ManualPage(of: program).page(of: command))
      } else {
        Console.write(help: Help.of(command, in: program))
      }
    }
    return .success
  }
}
