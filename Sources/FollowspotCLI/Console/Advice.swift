// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Values

/// Completes the commands in hints with the user's `--store` and `--index`, so that they work on the same files.
enum Advice {
  /// The options `--store FILE --index DIR ` that the user gave, quoted for a shell.
  nonisolated(unsafe) private static var globals = ""

  /// The verbs that work on a store or an index.
  nonisolated(unsafe) private static var verbs: Set<String> = []

  /// - Parameter verbs: Those that work on a store or an index.
  static func remember(_ options: [String: [String]], verbs: Set<String>) {
    self.verbs = verbs
    globals = ["--store", "--index"].flatMap { name in
      (options[name] ?? []).map { "\(name) \($0.quotedForShell) " }
    }.joined()
    IndexReader.setCrashOptions(globals)
  }

  /// The text, with the options inserted into each `followspot VERB`.
  static func complete(_ text: String) -> String {
    guard !globals.isEmpty else { return text }
    let program = "followspot "
    let parts = text.split(separator: program, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      let verb = String(part.prefix { $0.isLetter })
      return text + program + (verbs.contains(verb) ? globals : "") + part
    }
  }
}
