/// A word that occurs nowhere, and the closest one that does.
struct Correction: Equatable {
  let typed: String
  let replacement: String

  /// As it stands in a query: two words that were typed as one are a phrase.
  private var written: String { replacement.contains(" ") ? "\"\(replacement)\"" : replacement }

  /// The query with the words replaced wherever they stand alone.
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

  /// Whether the word is one that is not to be found, which is not corrected.
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
