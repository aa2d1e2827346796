internal import Followspot

/// What was typed, taken apart by a command's description.
struct ParsedArguments {
  var verb: String?
  var options: [String: [String]] = [:]
  var positionals: [String] = []

  /// Takes options and positionals apart. `--` ends options; `--name=value` and `--name value` are the same.
  ///
  /// - Throws: `CommandError` for what no description knows, with the nearest that is known.
  init(_ arguments: [String], commands: [CommandDescription]) throws {
    var rest = arguments[...]
    var known = CommandDescription.globalOptions
    var (isEnded, takesQuery) = (false, false)
    while let argument = rest.popFirst() {
      if isEnded || argument == "-" || !argument.hasPrefix("-") || takesQuery && Self.isNegativeTerm(argument, known) {
        guard verb != nil else {
          verb = argument
          let command = commands.first { $0.name == argument }
          known = command?.allOptions ?? known
          takesQuery = command?.takesQuery == true
          if command == nil { return }  // the caller says which verbs there are
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

  /// In a query, `-word` excludes a word: a dash and letters that are not an option. Options of one letter are given
  /// exactly.
  private static func isNegativeTerm(_ argument: String, _ known: [OptionDescription]) -> Bool {
    !argument.hasPrefix("--")
      && !known.contains { argument == $0.name || ($0.name.count == 2 && isShort(argument, $0)) }
  }

  /// What other programs call an option, and its name here.
  private static let elsewhere = [
    "-V": "--version", "--limit": "-n", "--count": "-n", "--db": "--store",
  ]

  /// `-n5`
  private static func isShort(_ argument: String, _ option: OptionDescription) -> Bool {
    option.value != nil && argument.hasPrefix(option.name) && argument.dropFirst(2).allSatisfy(\.isNumber)
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
      guard option.value != nil else {
        options[option.name, default: []].append("")
        return
      }
      guard let value = parts.count == 2 && parts[0] == option.name ? String(parts[1]) : rest.popFirst() else {
        throw CommandError("\(option.name) needs a value: \(option.name) \(option.value ?? "")")
      }
      options[option.name, default: []].append(value)
    } else if let option = known.first(where: { $0.name.count == 2 && Self.isShort(argument, $0) }) {
      options[option.name, default: []].append(String(argument.dropFirst(2)))
    } else {
      let (name, names) = (Self.elsewhere[String(parts[0])] ?? String(parts[0]), known.map(\.name))
      throw CommandError(
        "there is no option \(parts[0])",
        hint: NearestNames.of(name, among: names).first.map { "did you mean \($0)?" }
          ?? verb.map { "followspot help \($0)" } ?? "write the options of a verb behind the verb")
    }
  }
}
