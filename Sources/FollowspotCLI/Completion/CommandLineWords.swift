/// The beginning of a command line, up to the cursor, taken apart as a shell would.
struct CommandLineWords {
  /// The words before the one at the cursor.
  private(set) var complete: [String] = []
  /// What stands of the word at the cursor, without its quotation marks; empty behind a space.
  private(set) var current = ""
  /// The quotation mark that is open at the cursor.
  private(set) var quote: Character?
  /// How many characters of `current` the shell's line editor leaves alone: up to an open quotation mark, or else the
  /// last bare character that breaks words.
  private(set) var kept = 0

  /// - Parameters:
  ///   - line: With the program's name in front, and perhaps assignments before that.
  ///   - breaks: The characters at which the line editor breaks words: bash's `COMP_WORDBREAKS`.
  init(_ line: String, breaks: String = "") {
    var isWord = false
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("'", nil), ("\"", nil):
        quote = character
        kept = current.count
        isWord = true
      case (let mark, let open?) where mark == open: quote = nil
      case ("\\", nil), ("\\", "\""):
        guard let next = rest.popFirst() else { break }
        // Between double quotes a backslash stands for itself before most characters.
        if quote != nil, !"\"\\$`".contains(next) { current.append("\\") }
        current.append(next)
        isWord = true
      case (let blank, nil) where blank.isWhitespace:
        if isWord { complete.append(current) }
        (current, kept, isWord) = ("", 0, false)
      default:
        // bash keeps @ as the first character of what it completes.
        if quote == nil, breaks.contains(character) { kept = current.count + (character == "@" ? 0 : 1) }
        current.append(character)
        isWord = true
      }
    }
    complete.removeFirst(complete.prefix { $0.contains("=") && !$0.hasPrefix("-") && !$0.contains("/") }.count)
  }

  /// A candidate as bash is to write it in the place of what it completes.
  func replacement(for candidate: String) -> String {
    let text = candidate.dropFirst(kept)
    switch quote {
    case "'": return String(text)
    case "\"": return Self.escaping(text) { "\"\\$`".contains($0) }
    default: return Self.escaping(text) { !$0.isLetter && !$0.isNumber && !"_./:=,@%+-".contains($0) }
    }
  }

  private static func escaping(_ text: Substring, _ isSpecial: (Character) -> Bool) -> String {
    text.reduce(into: "") { escaped, character in
      if isSpecial(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }
}
