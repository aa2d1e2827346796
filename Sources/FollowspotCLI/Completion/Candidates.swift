/// What may stand in the place of the word at the cursor.
struct Candidates: Equatable {
  /// What the shell is to do beside offering the words.
  enum Kind: String {
    /// Nothing: the words are all there is.
    case words
    /// The words are beginnings: no space goes behind them.
    case open
    /// Names of files.
    case files
    /// Names of directories.
    case directories
  }

  struct Word: Equatable {
    let text: String
    var help = ""
  }

  var kind = Kind.words
  var words: [Word] = []

  /// The kind on the first line, then one candidate a line, with a TAB and its explanation where it has one.
  ///
  /// - Parameter shown: A candidate as the shell takes it; nil for one that it cannot take.
  func lines(_ shown: (String) -> String? = { $0 }) -> String {
    words.reduce(kind.rawValue + "\n") { lines, word in
      // What a terminal would obey, or a line could not hold, is not offered.
      guard Visible.line(word.text) == word.text, !word.text.isEmpty, let text = shown(word.text) else { return lines }
      return lines + text + (word.help.isEmpty ? "" : "\t" + Visible.line(word.help)) + "\n"
    }
  }
}
