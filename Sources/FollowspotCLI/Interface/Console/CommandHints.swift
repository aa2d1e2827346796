// SPDX-License-Identifier: MIT

/// Adds the user's global options to the commands in hints, so that they work on the same files.
enum CommandHints {
  /// The options that the user gave, quoted for a shell, with a space after each.
  package nonisolated(unsafe) private(set) static var options = ""
  nonisolated(unsafe) private static var verbs: Set<String> = []

  /// - Parameters:
  ///   - names: The options that are added.
  ///   - verbs: The verbs that take them.
  static func use(_ names: [String], of given: [String: [String]], verbs: Set<String>) {
    self.verbs = verbs
    options = names.flatMap { name in (given[name] ?? []).map { "\(name) \($0.quotedForShell) " } }.joined()
  }

  /// Runs `body`, in which hints have other options.
  static func with<Result>(_ others: String, _ body: () throws -> Result) rethrows -> Result {
    let own = options
    options = others
    defer { options = own }
    return try body()
  }

  /// The text, with options inserted into each `PROGRAM VERB`: those that the user gave, or others instead.
  static func complete(_ text: String, with others: String? = nil) -> String {
    let options = others ?? options
    guard !options.isEmpty else { return text }
    let program = Console.program + " "
    let parts = text.split(separator: program, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      let verb = String(part.prefix { $0.isLetter })
      return text + program + (verbs.contains(verb) ? options : "") + part
    }
  }
}
