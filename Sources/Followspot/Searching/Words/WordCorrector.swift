// SPDX-License-Identifier: MIT

internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Finds the word of an index that is closest to another. It reads the terms of the index, so no dictionary has to be
/// kept up to date.
struct WordCorrector {
  let view: SearchView
  /// The prefix of one field's words; empty for all fields.
  let prefix: [UInt8]
  /// Words that are never a correction.
  private let stopWords: Set<String>
  /// The prefixes of the words of titles, or of the one field.
  private let titles: [[UInt8]]

  init(view: SearchView, prefix: [UInt8]) {
    self.view = view
    self.prefix = prefix
    stopWords = view.stopWords
    titles = prefix.isEmpty ? view.titlePrefixes : [prefix]
  }

  /// The maximum number of mistakes in a word, by its number of letters.
  private static func mostMistakes(_ letters: Int) -> Int { letters < 3 ? 0 : letters < 6 ? 1 : 2 }
  /// Words with at most this many letters are close to too many others: only likely mistakes are corrected.
  private static let fewLetters = 4

  /// Words close to a misspelt one, with the number of mistakes.
  private final class Candidates {
    var distance: BoundedEditDistance
    let wanted: [Unicode.Scalar]
    let sound: [Unicode.Scalar]
    let mistakes: Int
    /// The number of mistakes by word.
    var words: [[UInt8]: Int] = [:]

    /// nil if the word is not corrected because it has at most two letters, or digits.
    init?(_ word: [UInt8]) {
      wanted = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
      mistakes = WordCorrector.mostMistakes(wanted.count)
      guard mistakes > 0, wanted.allSatisfy({ $0.properties.isAlphabetic || $0 == "'" }) else { return nil }
      sound = WordCorrector.sound(wanted)
      distance = BoundedEditDistance(to: wanted)
    }

    func add(_ word: UnsafeRawBufferPointer) {
      // The word itself may be in documents that an overlay hides.
      guard let found = distance.from(word, atMost: mistakes), found > 0 else { return }
      let letters = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
      let counted = found + (hasOtherFirstLetter(letters) ? 1 : 0)
      guard counted <= mistakes, wanted.count > WordCorrector.fewLetters || isLikely(letters) else { return }
      words[Array(word)] = counted
    }

    /// Whether the first letter differs, unless it is swapped with the second one. People rarely mistype the first
    /// letter.
    private func hasOtherFirstLetter(_ letters: [Unicode.Scalar]) -> Bool {
      letters.first != wanted.first && !(letters.prefix(2).elementsEqual(wanted.prefix(2).reversed()))
    }

    /// Whether a letter is missing, two are swapped, one is another vowel, or both words sound alike.
    private func isLikely(_ letters: [Unicode.Scalar]) -> Bool {
      if letters.count > wanted.count || WordCorrector.sound(letters) == sound { return true }
      guard letters.count == wanted.count else { return false }
      let other = zip(letters, wanted).filter { $0 != $1 }
      return other.count == 2
        || other.allSatisfy { "aeiouy".unicodeScalars.contains($0) && "aeiouy".unicodeScalars.contains($1) }
    }
  }

  /// The best correction of each word. The number of mistakes counts most, then frequency, occurrence in titles and
  /// similar sound. A missing blank gives two words: `van damme`.
  func closest(to words: [[UInt8]]) throws -> [String?] {
    try words.map { word in
      guard let candidates = Candidates(word) else { return nil }
      try gather(candidates)
      return try best(candidates)
    }
  }

  /// Reads the words that start with the first letter, or with the second one, because letters may be swapped or added.
  /// If the first letter is wrong or missing, the rest must be right: reading all words would take too long.
  private func gather(_ candidates: Candidates) throws {
    let starts = Set(candidates.wanted.prefix(2))
    for letter in starts.sorted() {
      for prefix in view.prefixes(prefix) {
        try view.eachWord(startingWith: Array(String(letter).utf8), behind: prefix) {
          candidates.add($0)
          return true
        }
      }
    }
    for letter in UInt8(ascii: "a")...UInt8(ascii: "z") where !starts.contains(Unicode.Scalar(letter)) {
      for rest in [candidates.wanted[...], candidates.wanted.dropFirst()] {
        let word = [letter] + rest.flatMap { Array(String($0).utf8) }
        if try view.frequency(ofWord: word, prefix: prefix) > 0 { word.withUnsafeBytes { candidates.add($0) } }
      }
    }
  }

  private func best(_ candidates: Candidates) throws -> String? {
    var ranked = try candidates.words.compactMap { word, mistakes -> (text: String, cost: Double)? in
      let text = String(decoding: word, as: UTF8.self)
      guard !stopWords.contains(text) else { return nil }
      let isAlike = Self.sound(Array(text.unicodeScalars)) == candidates.sound
      let cost = try cost(mistakes, word, isAlike: isAlike)
      return cost <= Cost.most ? (text, cost) : nil
    }
    ranked += try split(candidates.wanted)
    // The nearest word may occur only in documents that an overlay hides, or only as a derived form.
    return try ranked.sorted { ($0.cost, $0.text) < ($1.cost, $1.text) }.first { text, _ in
      try text.contains(" ")
        || view.occurs(word: Array(text.utf8), prefix: prefix) && view.isWritten(Array(text.utf8), prefix: prefix)
    }?.text
  }

  private enum Cost {
    static let mistake = 8.0
    static let title = -2.0
    static let soundsAlike = -2.0
    /// The change for a word that is twice as frequent.
    static let frequency = -1.0
    /// After two mistakes, a word must be frequent, in a title or sound alike.
    static let most = 2 * mistake - 3
  }

  private func cost(_ mistakes: Int, _ word: [UInt8], isAlike: Bool) throws -> Double {
    var cost = Double(mistakes) * Cost.mistake
    if isAlike { cost += Cost.soundsAlike }
    if try titles.contains(where: { try view.frequency(ofWord: word, prefix: $0) > 0 }) { cost += Cost.title }
    return cost + Cost.frequency * log2(1 + Double(try view.frequency(ofWord: word, prefix: prefix)))
  }

  // MARK: Missing blanks

  /// Minimum number of letters of each of two words that were typed as one.
  private static let shortestPart = 3

  /// Two words, adjacent in some text, that were typed as one.
  private func split(_ letters: [Unicode.Scalar]) throws -> [(text: String, cost: Double)] {
    func word(_ letters: ArraySlice<Unicode.Scalar>) -> String {
      letters.reduce(into: "") { $0.unicodeScalars.append($1) }
    }
    guard letters.count >= 2 * Self.shortestPart else { return [] }
    return try (Self.shortestPart...(letters.count - Self.shortestPart)).compactMap { split in
      let words = [word(letters[..<split]), word(letters[split...])]
      guard try words.allSatisfy({ try view.frequency(ofWord: Array($0.utf8), prefix: prefix) > 0 }) else {
        return nil
      }
      let found = try view.frequency(
        of: .or(view.prefixes(prefix).map { prefix in .phrase(words.map { prefix + Array($0.utf8) }) }))
      guard found > 0 else { return nil }
      return (words.joined(separator: " "), Cost.mistake + Cost.frequency * log2(1 + Double(found)))
    }
  }

  /// The phonetic form of a word: similar letters become the same, and double letters count once.
  private static func sound(_ letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var heard: [Unicode.Scalar] = []
    for letter in letters {
      let like: Unicode.Scalar =
        switch letter {
        case "y": "i"
        case "c", "q": "k"
        case "z": "s"
        case "w": "v"
        default: letter
        }
      if heard.last != like { heard.append(like) }
    }
    return heard
  }
}
