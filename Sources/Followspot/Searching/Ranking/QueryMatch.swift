// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The plain words of a query, for comparison with titles and items of lists.
final class QueryMatch {
  /// As typed, without stop words while others remain.
  let words: RankingText
  /// The same with all stop words.
  let whole: RankingText
  let stopWords: Set<ArraySlice<UInt8>>
  /// Those of the words that are beginnings. A word of a text that begins so counts as the beginning.
  private let beginnings: [[UInt8]]
  /// The words that were typed with accents, by their indices in `words`.
  let accented: [(index: Int, word: AccentedWord)]
  let weights: RankingWeights
  private let reader: IndexReader
  private let languages: [String?]
  private let stems: [Stems]
  /// Cached stems of words that may be other forms of the query's words.
  private var known: [ArraySlice<UInt8>: Stems] = [:]

  /// The stems of a word, by language; nil if it has none.
  private typealias Stems = [[UInt8]?]

  /// nil if the query has no words.
  ///
  /// - Parameter languages: Those of the fields; nil is the language of the index.
  init?(
    _ typed: [String], stopWords: Set<ArraySlice<UInt8>>, languages: [String?], reader: IndexReader,
    weights: RankingWeights, _ folder: inout TextFolder
  ) throws {
    whole = RankingText(typed.joined(separator: " "), &folder)
    guard !whole.isEmpty else { return nil }
    words = whole.without(stopWords)
    beginnings = []
    self.stopWords = stopWords
    self.weights = weights
    self.reader = reader
    self.languages = languages
    stems = try (0..<words.count).map { [words] in try Self.stems(words[$0], languages, reader) }
    accented = typed.flatMap { AccentedWord.all(in: $0, &folder) }.compactMap { [words] word in
      (0..<words.count).first { words[$0].elementsEqual(word.folded) }.map { ($0, word) }
    }
  }

  private init(_ other: QueryMatch, keeping indices: [Int], _ whole: RankingText, beginnings: [[UInt8]]) {
    self.whole = whole
    self.beginnings = beginnings
    words = other.words.keeping(indices)
    stopWords = other.stopWords
    weights = other.weights
    reader = other.reader
    languages = other.languages
    stems = indices.map { other.stems[$0] }
    accented = []
  }

  /// The same query, with some of its words as beginnings.
  func unfinished(_ beginnings: [String]) -> QueryMatch {
    QueryMatch(self, keeping: Array(0..<words.count), whole, beginnings: beginnings.map { Array($0.utf8) })
  }

  /// A text for comparison with the query: each word that one of its beginnings can become is that beginning.
  func shortened(_ text: RankingText) -> RankingText {
    beginnings.reduce(text) { $0.replacingWords(startingWith: $1) }
  }

  /// The query without some of its words; nil if none would remain.
  ///
  /// - Parameter indices: Of `words`.
  func without(_ indices: Set<Int>) throws -> QueryMatch? {
    let kept = (0..<words.count).filter { !indices.contains($0) }
    let left = indices.map { words[$0] }
    let rest = whole.keeping((0..<whole.count).filter { !left.contains(whole[$0]) })
    guard kept.isEmpty else { return QueryMatch(self, keeping: kept, rest, beginnings: beginnings) }
    // Only stop words remain, such as those of the band The Who.
    var folder = TextFolder()
    return try QueryMatch(rest.words, stopWords: [], languages: languages, reader: reader, weights: weights, &folder)
  }

  private static func stems(
    _ word: ArraySlice<UInt8>, _ languages: [String?], _ reader: IndexReader
  ) throws -> Stems {
    try languages.map { language in
      let tokens = try reader.tokens(of: String(decoding: word, as: UTF8.self), language: language)
      return tokens.count == 1 ? tokens[0].stemmed : nil
    }
  }

  /// How much of a title the query names.
  struct Coverage {
    /// The share of the title's words that the query names, 0 to 1.
    var share = 0.0
    /// Whether the title has each word of the query.
    var isFound: [Bool] = []
    var isComplete: Bool { isFound.allSatisfy(\.self) }
  }

  func coverage(of title: RankingText) throws -> Coverage {
    var named = [Double](repeating: 0, count: title.count)
    var isFound = [Bool](repeating: false, count: words.count)
    for word in 0..<title.count {
      for (index, stems) in stems.enumerated() {
        let worth = try worth(of: title[word], index, stems)
        guard worth > 0 else { continue }
        isFound[index] = true
        named[word] = max(named[word], worth)
      }
    }
    // Compounds that are written in one word on one side and in several on the other: `nodejs` and `node.js`.
    for index in 0..<words.count where !isFound[index] {
      guard let parts = title.parts(of: words[index]) else { continue }
      isFound[index] = true
      for word in parts { named[word] = 1 }
    }
    for word in 0..<title.count where named[word] == 0 {
      guard let parts = words.parts(of: title[word]) else { continue }
      named[word] = 1
      for index in parts { isFound[index] = true }
    }
    return Coverage(
      share: title.isEmpty ? 0 : named.reduce(0, +) / Double(title.count), isFound: isFound)
  }

  /// The share of the query's words, stop words included, that a title has. The title must have all words that are not
  /// stop words.
  func shareOfStopWords(in title: RankingText) -> Double {
    guard whole.count > words.count else { return 1 }
    let missing = (0..<whole.count).count { word in
      stopWords.contains(whole[word]) && !(0..<title.count).contains { title[$0] == whole[word] }
    }
    return 1 - Double(missing) / Double(whole.count)
  }

  /// Whether a text has a word of the query, or another form of it, with the accents that were typed; nil if the text does
  /// not have the word. Only the stem of another form is compared: its ending may have other accents.
  ///
  /// - Parameters:
  ///   - accented: The index of the word in `accented`.
  ///   - text: In UTF-8.
  func isWritten(_ accented: Int, in text: UnsafeRawBufferPointer, _ folder: inout TextFolder) throws -> Bool? {
    let (index, word) = self.accented[accented]
    let typed = words[index]
    return try word.isWritten(in: text, &folder) { other in
      if other == typed { return typed.count }
      return try stem(of: other, index, stems[index]).map { zip($0, typed).prefix { $0 == $1 }.count }
    }
  }

  private func worth(of word: ArraySlice<UInt8>, _ index: Int, _ stems: Stems) throws -> Double {
    if word == words[index] { return 1 }
    return try stem(of: word, index, stems) == nil ? 0 : weights.otherForm
  }

  /// The stem that a word has in common with a word of the query; nil if it is another word.
  private func stem(of word: ArraySlice<UInt8>, _ index: Int, _ stems: Stems) throws -> [UInt8]? {
    // Other forms of a word start with the same letters.
    guard stems.contains(where: { $0 != nil }), word.prefix(3) == words[index].prefix(3) else { return nil }
    let others = try known[word] ?? Self.stems(word, languages, reader)
    known[word] = others
    return zip(stems, others).first { $0 != nil && $0 == $1 }?.0
  }
}
