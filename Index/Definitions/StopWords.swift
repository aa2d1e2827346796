// SPDX-License-Identifier: MIT

/// Stop words in JSON: the name of a built-in list, or the words.
struct StopWords: Codable {
  fileprivate static let known = ["english": DefaultRules.stopWords, "none": []]

  let words: [String]

  init(words: [String]) { self.words = words }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    words = try container.decodeList(named: Self.known, "stop words") ?? container.decode([String].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(words, named: Self.known)
  }
}

extension IndexDefinition {
  /// The stop words. If the definition has the built-in ones, these include the words of the given languages.
  package func stopWords(inLanguages languages: [String]) -> [String] {
    // Most stores have no other language than that of the built-in list, and need not read the words of all.
    let others = languages.filter { StopWords.known[$0] == nil }
    return stopWords == DefaultRules.stopWords ? stopWords + others.flatMap(KnownLanguages.words) : stopWords
  }
}
