// SPDX-License-Identifier: MIT

/// A command line up to the cursor, split into words by the shell's quoting rules.
///
/// It works on Unicode scalars, as shells do. A quotation mark that a combining accent follows is one `Character`, but
/// shells still treat it as a quotation mark.
struct CommandLineWords {
  /// The words before the one at the cursor.
  private(set) var complete: [String] = []
  /// The word at the cursor, up to the cursor and without its quotation marks; empty after a space.
  var current: String { String(scalars) }
  /// Whether the shell will expand a part of the word at the cursor. The result is unknown to this program.
  private(set) var isExpanded = false
  /// The quotation mark that is open at the cursor.
  private var quote: Unicode.Scalar?
  private var scalars = String.UnicodeScalarView()
  /// The number of scalars of `current` that the line editor keeps. They end at an open quotation mark, or after the
  /// last unquoted word break.
  private var kept = 0

  /// - Parameters:
  ///   - line: The line with the program's name, which assignments can precede.
  ///   - breaks: The characters at which the line editor breaks words: bash's `COMP_WORDBREAKS`.
  init(_ line: String, shell: Shell = .bash, breaks: String = "") {
    var isWord = false
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, quote) {
      case ("'", nil), ("\"", nil):
        quote = scalar
        kept = scalars.count
        isWord = true
      case (let mark, let open?) where mark == open: quote = nil
      case ("\\", _) where quote != "'" || shell == .fish:
        guard let next = rest.popFirst() else { break }
        // Within quotation marks, a backslash is literal before most characters.
        if let quote, !Self.escapable(within: quote, shell).contains(next) { scalars.append("\\") }
        scalars.append(next)
        isWord = true
      case (" ", nil), ("\t", nil), ("\n", nil):
        if isWord { complete.append(current) }
        (scalars, kept, isWord, isExpanded) = (.init(), 0, false, false)
      default:
        switch scalar {
        case "$" where quote == nil || (quote == "\"" && rest.first != "'"): isExpanded = true
        case "`" where quote != "'" && shell != .fish: isExpanded = true
        default: break
        }
        // bash keeps @ as the first character of the completed word.
        if quote == nil, breaks.unicodeScalars.contains(scalar) { kept = scalars.count + (scalar == "@" ? 0 : 1) }
        scalars.append(scalar)
        isWord = true
      }
    }
    complete.removeFirst(complete.prefix { $0.contains("=") && !$0.hasPrefix("-") && !$0.contains("/") }.count)
  }

  /// The characters that a backslash escapes within this kind of quotation marks.
  private static func escapable(within quote: Unicode.Scalar, _ shell: Shell) -> Set<Unicode.Scalar> {
    guard shell == .fish else { return ["\"", "\\", "$", "`"] }
    return quote == "'" ? ["'", "\\"] : ["\"", "\\", "$"]
  }

  /// The candidate, quoted for bash. bash does not quote it, and would execute or expand unquoted characters.
  ///
  /// - Returns: nil if the candidate does not start with the scalars that the line editor keeps.
  func replacement(for candidate: String) -> String? {
    let (before, after) = (candidate.unicodeScalars.prefix(kept), candidate.unicodeScalars.dropFirst(kept))
    guard String(before).lowercased() == String(scalars.prefix(kept)).lowercased() else { return nil }
    var replacement = String.UnicodeScalarView()
    for scalar in after { replacement.append(contentsOf: quoted(scalar).unicodeScalars) }
    // After a quotation mark of the same kind, the line editor does not write the closing one.
    if let quote, replacement.last == quote { replacement.append(quote) }
    return String(replacement)
  }

  private func quoted(_ scalar: Unicode.Scalar) -> String {
    switch (quote, scalar) {
    case ("'", "'"): #"'\''"#
    case ("'", _): String(scalar)
    // Within double quotes, a backslash prevents history expansion of !, but remains in the word.
    case ("\"", "!"): #""'!'""#
    case ("\"", "\""), ("\"", "\\"), ("\"", "$"), ("\"", "`"): "\\" + String(scalar)
    case ("\"", _): String(scalar)
    case _ where Self.plain.contains(scalar) || !scalar.isASCII: String(scalar)
    default: "\\" + String(scalar)
    }
  }

  /// The ASCII characters that have no special meaning to bash outside quotation marks.
  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-".unicodeScalars)
}
