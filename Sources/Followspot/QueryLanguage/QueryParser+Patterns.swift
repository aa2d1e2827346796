// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

extension QueryParser {
  /// Whether a word is a searchable pattern: letters and digits with a `*` before or between them, and enough of them
  /// without one. A `*` at the end alone is a prefix.
  static func isPattern(_ text: String) -> Bool {
    text.dropLast().contains("*") && isLong(longestPart(of: text))
      && text.allSatisfy { $0 == "*" || $0.isLetter || $0.isNumber }
  }

  /// Whether a text is long enough to be a beginning, or a part of a pattern. Two letters are enough in a script without
  /// blanks.
  static func isLong(_ text: some StringProtocol) -> Bool {
    text.count >= shortestPrefix || text.count > 1 && text.unicodeScalars.contains(where: WordRule.isUnspaced)
  }

  /// The longest text of a pattern between two `*`.
  static func longestPart(of pattern: String) -> Substring {
    pattern.split(separator: "*").max { $0.count < $1.count } ?? ""
  }

  /// Notes syntax of other query languages that has no meaning here: `t*y`, `/regex/`, `story~`, `title:-story`.
  ///
  /// - Throws: `QueryError` in a strict query.
  mutating func note(_ text: String, at offset: Int) throws {
    if let sentence = Self.misunderstanding(text) { try note(sentence, of: text, at: offset) }
  }

  /// Notes why a text is searched as words.
  ///
  /// - Throws: `QueryError` in a strict query.
  mutating func note(_ sentence: String, of text: String, at offset: Int) throws {
    guard !isStrict else {
      throw error("\(sentence); nothing was changed", at: offset, recovery: .quote(text))
    }
    let note = "\(sentence): '\(text)' is searched as words"
    if !notes.contains(note) { notes.append(note) }
  }

  private static func misunderstanding(_ text: String) -> String? {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    let inner = text.dropFirst().dropLast()
    if text.hasPrefix("/"), text.hasSuffix("/"), !inner.contains("/") {
      return "queries do not support regular expressions"
    }
    if let sign = text.first, sign == "!" || sign == "-", text.dropFirst().first?.isLetter == true {
      return "a - before a word, or before the name of a field, excludes it"
    }
    if let sign = text.lastIndex(of: "~"), text[..<sign].allSatisfy({ $0.isLetter || $0.isNumber }),
      text[sign...].dropFirst().allSatisfy(\.isNumber)
    {
      return "a word that the index does not have is corrected without a ~"
    }
    guard text.dropLast().contains("*"), !isPattern(text) else { return nil }
    return "a * needs \(shortestPrefix) letters or digits in a row beside it, and only letters and digits around it"
  }
}
