// SPDX-License-Identifier: MIT

/// Help on the program and its verbs.
enum Help {
  static func overview(_ program: Program) -> String {
    """
    \(program.details)

    Examples:
    \(program.examples.map { "  \($0)\n" }.joined())
    \(Console.program) \(program.usage)

    Verbs:
    \(table(program.commands.map { ($0.name, $0.description.summary) }))
    Options of every verb:
    \(table(program.globalOptions))
    Environment:
    \(table(program.environment))
    Exit codes:
    \(table(program.exitCodes.map { ("\($0.code.rawValue)", $0.meaning) }))
    """
  }

  static func of(_ command: any Command.Type, in program: Program) -> String {
    let description = command.description
    let arguments = description.arguments.isEmpty ? "" : " " + description.arguments
    var text = "Examples:\n" + description.examples.map { "  \($0)\n" }.joined()
    text += "\n\(Console.program) \(description.name)\(arguments)\n  \(description.summary)\n"
    if !description.details.isEmpty { text += "\n\(description.details)\n" }
    return text + "\nOptions:\n" + table(program.options(of: command))
  }

  private static func table(_ options: [OptionDescription]) -> String { table(options.map { ($0.usage, $0.help) }) }

  /// Two columns, indented.
  static func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 + "\n" }.joined()
  }
}
