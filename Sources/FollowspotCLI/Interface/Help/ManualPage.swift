// SPDX-License-Identifier: MIT

/// Generates manual pages with roff's man macros, from the descriptions of verbs and options.
struct ManualPage {
  private let program: Program

  init(of program: Program) { self.program = program }

  /// The page PROGRAM(1).
  var overview: String {
    page(
      Console.program, program.summary,
      [
        ("SYNOPSIS", Self.synopsis(Console.program, program.usage)),
        (
          "DESCRIPTION",
          Self.text(program.details + "\nResults go to standard output, everything else to standard error.")
        ),
        ("VERBS", Self.list(program.commands.map { ("\(Console.program) \($0.name)", $0.description.summary) })),
        ("OPTIONS OF EVERY VERB", Self.list(program.globalOptions.map { ($0.usage, $0.help) })),
      ], seeAlso: program.commands.map { "\(Console.program)-\($0.name)" })
  }

  /// The page PROGRAM-VERB(1).
  func page(of command: any Command.Type) -> String {
    let description = command.description
    let arguments = ["[OPTION]…", description.arguments].filter { !$0.isEmpty }.joined(separator: " ")
    return page(
      "\(Console.program)-\(command.name)", description.summary,
      [
        ("SYNOPSIS", Self.synopsis("\(Console.program) \(command.name)", arguments)),
        ("DESCRIPTION", Self.text(description.details.isEmpty ? description.summary + "." : description.details)),
        ("OPTIONS", Self.list(program.options(of: command).map { ($0.usage, $0.help) })),
        ("EXAMPLES", Self.examples(description.examples)),
      ], seeAlso: [Console.program] + verbs(namedBy: description).map { "\(Console.program)-\($0)" })
  }

  private func verbs(namedBy description: CommandDescription) -> [String] {
    let words = Set((description.details + " " + description.summary).split { !$0.isLetter }.map(String.init))
    return program.commands.map { $0.name }.filter { $0 != description.name && words.contains($0) }
  }

  private func page(
    _ name: String, _ summary: String, _ sections: [(name: String, text: String)], seeAlso: [String]
  ) -> String {
    let codes = program.exitCodes.map { ("\($0.code.rawValue)", $0.meaning) }
    let all =
      sections + [
        ("ENVIRONMENT", Self.list(program.environment)), ("EXIT STATUS", Self.list(codes)),
        ("SEE ALSO", seeAlso.map { "\\fB\(Self.escaped($0))\\fR(1)" }.joined(separator: ",\n") + "\n"),
      ]
    return heading(name, summary) + all.map { ".SH \($0.name)\n" + $0.text }.joined()
  }

  // MARK: Macros

  private func heading(_ name: String, _ summary: String) -> String {
    """
    .TH "\(name.uppercased())" "1" "" "\(Console.program) \(program.version)" "User Commands"
    .SH NAME
    \(Self.escaped(name)) \\- \(Self.escaped(summary))

    """
  }

  private static func synopsis(_ command: String, _ arguments: String) -> String {
    "\\fB\(escaped(command))\\fR" + (arguments.isEmpty ? "" : " " + escaped(arguments)) + "\n"
  }

  private static func examples(_ examples: [String]) -> String {
    ".RS 4\n.nf\n" + examples.map(line).joined(separator: "\n.sp\n") + "\n.fi\n.RE\n"
  }

  private static func list(_ rows: [(String, String)]) -> String {
    rows.map { ".TP\n\\fB\(escaped($0.0))\\fR\n\(line($0.1))\n" }.joined()
  }

  private static func text(_ paragraph: String) -> String {
    paragraph.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : line(String($0)) }
      .joined(separator: "\n") + "\n"
  }

  /// One line of text. A first character that would start a macro is escaped.
  private static func line(_ text: String) -> String {
    (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + escaped(text)
  }

  /// Escapes the text, so that roff finds no requests and keeps quotation marks and dashes as they are.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "\"": escaped += "\\(dq"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
  }
}
