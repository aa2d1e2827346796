// SPDX-License-Identifier: MIT

/// A word that occurs nowhere, and the closest word of the index.
struct Correction: Equatable {
  let typed: String
  let replacement: String

  init(typed: String, replacement: String) {
    self.typed = typed
    self.replacement = replacement
  }

  /// The replacement as written in a query. Two words that were typed as one become a phrase.
  private var written: String { replacement.contains(" ") ? "\"\(replacement)\"" : replacement }

  /// The query with its misspelt words replaced, wherever they are whole words and not excluded.
  static func apply(_ corrections: [Correction], to query: String) -> String {
    corrections.reduce(query) { text, correction in
      var made = ""
      var rest = text.startIndex
      for range in text.ranges(of: correction.typed) where isAlone(range, in: text) && !isExcluded(range, in: text) {
        made += text[rest..<range.lowerBound] + correction.written
        rest = range.upperBound
      }
      return made + text[rest...]
    }
  }

  private static func isAlone(_ range: Range<String.Index>, in text: String) -> Bool {
    let before = range.lowerBound == text.startIndex ? nil : text[text.index(before: range.lowerBound)]
    let after = range.upperBound == text.endIndex ? nil : text[range.upperBound]
    return !isInside(before) && !isInside(after) && after != ":"
  }

  /// Whether the word follows `-` or NOT. Such a word is not corrected.
  private static func isExcluded(_ range: Range<String.Index>, in text: String) -> Bool {
    let before = text[..<range.lowerBound]
    if before.last == "-" { return before.dropLast().last.map { $0.isWhitespace || $0 == "(" } ?? true }
    let words = before.split(whereSeparator: \.isWhitespace)
    return before.last?.isWhitespace == true && words.last == "NOT"
  }

  private static func isInside(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber } ?? false
  }
}
