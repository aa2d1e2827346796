// SPDX-License-Identifier: MIT

internal import Base

/// The parsed command line: verb, options and positional arguments.
struct ParsedArguments: Sendable {
  private(set) var verb: String?
  var options: [String: [String]] = [:]
  private(set) var positionals: [String] = []

  /// Names that other programs give to an option, and its name here.
  private static let synonyms = ["-V": "--version", "--limit": "-n", "--count": "-n", "--db": "--store"]

  init(verb: String, options: [String: [String]]) { (self.verb, self.options) = (verb, options) }

  /// Separates options from positional arguments. `--` ends the options; `--name=value` equals `--name value`.
  ///
  /// - Throws: `CommandError` for an unknown option, with the most similar known one.
  init(_ arguments: [String], of program: Program) throws {
    var rest = arguments[...]
    var known = program.globalOptions
    var (isEnded, takesQuery) = (false, false)
    while let argument = rest.popFirst() {
      if isEnded || argument == "-" || !argument.hasPrefix("-") || takesQuery && Self.isNegativeTerm(argument, known) {
        guard verb != nil else {
          verb = argument
          guard let command = program.command(named: argument) else { return }  // the caller reports the unknown verb
          known = program.options(of: command)
          takesQuery = command.description.takesQuery
          continue
        }
        positionals.append(argument)
      } else if argument == "--" {
        isEnded = true
      } else {
        try take(argument, &rest, known)
      }
    }
  }

  /// Whether `-word` excludes a word of a query: it does unless it equals an option, or is a one-letter option with its
  /// number.
  private static func isNegativeTerm(_ argument: String, _ known: [OptionDescription]) -> Bool {
    !argument.hasPrefix("--") && !known.contains { argument == $0.name || isShort(argument, $0) }
  }

  /// Whether the argument is a one-letter option with its number, such as `-n5`.
  private static func isShort(_ argument: String, _ option: OptionDescription) -> Bool {
    option.name.count == 2 && option.value != nil && argument.hasPrefix(option.name)
      && argument.dropFirst(2).allSatisfy(\.isNumber)
  }

  private mutating func take(
    _ argument: String, _ rest: inout ArraySlice<String>, _ known: [OptionDescription]
  ) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if let option = known.first(where: { $0.name == argument || ($0.value != nil && parts[0] == $0.name) }) {
      guard option.expansion.isEmpty else {
        rest = option.expansion + rest
        return
      }
      guard let placeholder = option.value else { return options[option.name, default: []].append("") }
      guard let value = parts.count == 2 && parts[0] == option.name ? String(parts[1]) : rest.popFirst() else {
        throw CommandError("\(option.name) needs a value: \(option.name) \(placeholder)")
      }
      options[option.name, default: []].append(value)
    } else if let option = known.first(where: { Self.isShort(argument, $0) }) {
      options[option.name, default: []].append(String(argument.dropFirst(2)))
    } else {
      let name = Self.synonyms[String(parts[0])] ?? String(parts[0])
      throw CommandError(
        "there is no option \(parts[0])",
        hint: NearestNames.of(name, among: known.map(\.name)).first.map { "did you mean \($0)?" }
          ?? verb.map { "\(Console.program) help \($0)" } ?? "write the options of a verb behind the verb")
    }
  }
}
