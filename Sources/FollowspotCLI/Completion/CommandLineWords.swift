/// The beginning of a command line, up to the cursor, split into words by the quoting rules of a shell.
///
/// It is read and written by Unicode scalars, as shells do: a quotation mark with a combining accent behind it is one
/// `Character`, but still a quotation mark.
struct CommandLineWords {
  /// The words before the one at the cursor.
  private(set) var complete: [String] = []
  /// The word at the cursor, up to the cursor and without its quotation marks; empty behind a space.
  var current: String { String(scalars) }
  /// Whether the shell would still expand something in the word at the cursor: what it will be is not known here.
  private(set) var isExpanded = false
  /// The quotation mark that is open at the cursor.
  private var quote: Unicode.Scalar?
  private var scalars = String.UnicodeScalarView()
  /// How many scalars of `current` the line editor keeps: up to an open quotation mark, or else up to the last unquoted
  /// character that breaks words.
  private var kept = 0

  /// - Parameters:
  ///   - line: With the program's name in front, and perhaps assignments before that.
  ///   - breaks: The characters at which the line editor breaks words: bash's `COMP_WORDBREAKS`.
  init(_ line: String, shell: Completion.Shell = .bash, breaks: String = "") {
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
        // Between quotation marks a backslash stands for itself before most characters.
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
        // bash keeps @ as the first character of what it completes.
        if quote == nil, breaks.unicodeScalars.contains(scalar) { kept = scalars.count + (scalar == "@" ? 0 : 1) }
        scalars.append(scalar)
        isWord = true
      }
    }
    complete.removeFirst(complete.prefix { $0.contains("=") && !$0.hasPrefix("-") && !$0.contains("/") }.count)
  }

  /// What a backslash takes its meaning from between quotation marks.
  private static func escapable(within quote: Unicode.Scalar, _ shell: Completion.Shell) -> Set<Unicode.Scalar> {
    guard shell == .fish else { return ["\"", "\\", "$", "`"] }
    return quote == "'" ? ["'", "\\"] : ["\"", "\\", "$"]
  }

  /// A candidate as bash is to write it in the place of what it completes: bash adds no quoting of its own, and obeys
  /// what is left unquoted.
  ///
  /// - Returns: nil where the candidate does not begin with what the line editor keeps.
  func replacement(for candidate: String) -> String? {
    let (before, after) = (candidate.unicodeScalars.prefix(kept), candidate.unicodeScalars.dropFirst(kept))
    guard String(before).lowercased() == String(scalars.prefix(kept)).lowercased() else { return nil }
    var replacement = String.UnicodeScalarView()
    for scalar in after { replacement.append(contentsOf: quoted(scalar).unicodeScalars) }
    // Behind a quotation mark of the same kind the line editor does not write the closing one.
    if let quote, replacement.last == quote { replacement.append(quote) }
    return String(replacement)
  }

  private func quoted(_ scalar: Unicode.Scalar) -> String {
    switch (quote, scalar) {
    case ("'", "'"): #"'\''"#
    case ("'", _): String(scalar)
    // Between double quotes a backslash keeps ! from the history, but stays.
    case ("\"", "!"): #""'!'""#
    case ("\"", "\""), ("\"", "\\"), ("\"", "$"), ("\"", "`"): "\\" + String(scalar)
    case ("\"", _): String(scalar)
    case _ where Self.plain.contains(scalar) || !scalar.isASCII: String(scalar)
    default: "\\" + String(scalar)
    }
  }

  /// What means nothing to bash outside quotation marks.
  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-".unicodeScalars)
}
