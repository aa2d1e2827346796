internal import IndexDefinitions
internal import SearchIndex

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
      for place in text.ranges(of: correction.typed) where isAlone(place, in: text) && !isExcluded(place, in: text) {
        made += text[rest..<place.lowerBound] + correction.written
        rest = place.upperBound
      }
      return made + text[rest...]
    }
  }

  private static func isAlone(_ place: Range<String.Index>, in text: String) -> Bool {
    let before = place.lowerBound == text.startIndex ? nil : text[text.index(before: place.lowerBound)]
    let after = place.upperBound == text.endIndex ? nil : text[place.upperBound]
    return !isInside(before) && !isInside(after) && after != ":"
  }

  /// Whether the word is one that is not to be found, which is not corrected.
  private static func isExcluded(_ place: Range<String.Index>, in text: String) -> Bool {
    let before = text[..<place.lowerBound]
    if before.last == "-" { return before.dropLast().last.map { $0.isWhitespace || $0 == "(" } ?? true }
    let words = before.split(whereSeparator: \.isWhitespace)
    return before.last?.isWhitespace == true && words.last == "NOT"
  }

  private static func isInside(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber } ?? false
  }
}

/// A word that occurs nowhere, as it was typed, and as it is one token.
struct UnknownWord: Hashable {
  let typed: String
  let token: [UInt8]
  let prefix: [UInt8]
}

extension QueryCompiler {
  /// Notes a word that is nowhere in the index.
  mutating func noteUnknown(_ text: String, _ query: Query, _ prefix: [UInt8]) throws {
    guard mayApproximate, replacements == nil, unknown.count < Self.mostCorrections,
      case let tokens = try index.reader.tokens(of: folded(text)), tokens.count == 1, let token = tokens.first,
      WordForms(of: folded(text)).humps.isEmpty, try !occurs(query),
      try !index.occurs(prefix + token.raw)
    else { return }
    let word = UnknownWord(typed: text, token: token.raw, prefix: prefix)
    if !unknown.contains(word) { unknown.append(word) }
  }

  /// The closest words of the index for those that are nowhere in it; one walk for each field that is named.
  func closest() throws -> [UnknownWord: String] {
    var found: [UnknownWord: String] = [:]
    for (prefix, words) in Dictionary(grouping: unknown, by: \.prefix) {
      let corrector = WordCorrector(index: index, prefix: prefix)
      for (word, closest) in zip(words, try corrector.closest(to: words.map(\.token))) { found[word] = closest }
    }
    return found
  }

  private func folded(_ text: String) -> String {
    var folder = folder
    return folder.fold(text)
  }

  /// Whether a word's query finds anything.
  private func occurs(_ query: Query) throws -> Bool {
    switch query {
    case .term(let term): try index.occurs(term)
    case .or(let operands), .synonyms(let operands): try operands.contains { try occurs($0) }
    case .nothing: false
    // Of several words, nothing is corrected.
    default: true
    }
  }
}
