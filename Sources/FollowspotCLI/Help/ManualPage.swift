// SPDX-License-Identifier: MIT

internal import ShellInterface

/// Generates manual pages with roff's man macros, from the command descriptions.
enum ManualPage {
  /// The page followspot(1).
  static func overview(_ commands: [CommandDescription]) -> String {
    var page = heading("followspot", "keep a full-text index in step with the history of a store, and search it")
    page += section("SYNOPSIS") + synopsis("followspot", "[--store FILE] [--index DIR] VERB …")
    page += section("DESCRIPTION")
    page += text(
      """
      Search an SQLite database or a SwiftData store in full text, and keep the index up to date with every change.
      Results go to standard output, everything else to standard error.
      """)
    page += section("VERBS") + list(commands.map { ("followspot \($0.name)", $0.summary) })
    page += section("OPTIONS OF EVERY VERB") + list(CommandDescription.globalOptions.map(row))
    page += common
    page += section("SEE ALSO") + seeAlso(commands.map { "followspot-\($0.name)" })
    return page
  }

  /// The page followspot-VERB(1).
  static func of(_ command: CommandDescription, among commands: [CommandDescription]) -> String {
    var page = heading("followspot-\(command.name)", command.summary)
    page +=
      section("SYNOPSIS")
      + synopsis(
        "followspot \(command.name)",
        (["[OPTION]…"] + [command.arguments]).filter { !$0.isEmpty }.joined(separator: " "))
    page += section("DESCRIPTION") + text(command.details.isEmpty ? command.summary + "." : command.details)
    page += section("OPTIONS") + list(command.allOptions.map(row))
    page += section("EXAMPLES") + examples(command.examples)
    page += common
    page += section("SEE ALSO") + seeAlso(["followspot"] + near(command, commands).map { "followspot-\($0)" })
    return page
  }

  /// The verbs that the text mentions.
  private static func near(_ command: CommandDescription, _ commands: [CommandDescription]) -> [String] {
    let words = Set((command.details + " " + command.summary).split { !$0.isLetter }.map(String.init))
    return commands.map(\.name).filter { $0 != command.name && words.contains($0) }
  }

  private static var common: String {
    section("ENVIRONMENT") + list(Help.environment) + section("EXIT STATUS")
      + list(Help.exitCodes.map { ("\($0.code.rawValue)", $0.meaning) })
  }

  // MARK: Macros

  private static func heading(_ name: String, _ summary: String) -> String {
    """
    .TH "\(name.uppercased())" "1" "" "followspot \(Help.version)" "User Commands"
    .SH NAME
    \(escaped(name)) \\- \(escaped(summary))

    """
  }

  private static func section(_ name: String) -> String { ".SH \(name)\n" }

  private static func synopsis(_ command: String, _ arguments: String) -> String {
    "\\fB\(escaped(command))\\fR" + (arguments.isEmpty ? "" : " " + escaped(arguments)) + "\n"
  }

  private static func examples(_ examples: [String]) -> String {
    ".RS 4\n.nf\n" + examples.map(line).joined(separator: "\n.sp\n") + "\n.fi\n.RE\n"
  }

  private static func row(_ option: OptionDescription) -> (String, String) {
    (option.name + (option.value.map { " " + $0 } ?? ""), option.help)
  }

  private static func list(_ rows: [(String, String)]) -> String {
    rows.map { ".TP\n\\fB\(escaped($0.0))\\fR\n\(line($0.1))\n" }.joined()
  }

  private static func text(_ paragraph: String) -> String {
    paragraph.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : line(String($0)) }
      .joined(separator: "\n") + "\n"
  }

  private static func seeAlso(_ names: [String]) -> String {
    names.map { "\\fB\(escaped($0))\\fR(1)" }.joined(separator: ",\n") + "\n"
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
