// SPDX-License-Identifier: MIT

/// The candidates for completing the word at the cursor.
struct Candidates: Equatable {
  /// What the shell does in addition to offering the words.
  enum Kind: String {
    /// The shell offers only the words.
    case words
    /// The words are prefixes, so the shell adds no space after them.
    case open
    /// The shell also offers file names.
    case files
    /// The shell also offers directory names.
    case directories
  }

  struct Word: Equatable {
    let text: String
    var help = ""

    init(_ text: String, help: String = "") { (self.text, self.help) = (text, help) }
  }

  var kind = Kind.words
  var words: [Word] = []

  init(_ words: [Word] = [], kind: Kind = .words) { (self.words, self.kind) = (words, kind) }

  /// The words that begin with a text.
  init(_ words: [Word], beginning text: String, anyCase: Bool = false) {
    func folded(_ text: String) -> String { anyCase ? text.lowercased() : text }
    let wanted = folded(text)
    self.init(words.filter { folded($0.text).hasPrefix(wanted) })
  }

  /// The kind on the first line, then one candidate a line. A TAB separates a candidate from its help, if it has any.
  ///
  /// - Parameter shown: Quotes a candidate for the shell; returns nil if the shell cannot use the candidate.
  func lines(_ shown: (String) -> String? = { $0 }) -> String {
    words.reduce(kind.rawValue + "\n") { lines, word in
      // Candidates with control characters or line ends are not offered.
      guard word.text.printable == word.text, !word.text.isEmpty, let text = shown(word.text) else { return lines }
      return lines + text + (word.help.isEmpty ? "" : "\t" + word.help.printable) + "\n"
    }
  }
}
