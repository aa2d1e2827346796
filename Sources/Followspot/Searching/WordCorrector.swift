internal import SearchIndex

/// Finds the word of an index that is closest to another. It walks the index's own words, so that nothing has to be kept
/// right beside them.
struct WordCorrector {
  let reader: IndexReader
  /// Of the words of one field; empty for all.
  let prefix: [UInt8]
  /// Words that say too little to stand for another.
  let stopWords: Set<String>

  /// Mistakes that a word of so many letters may have.
  private static func mostMistakes(_ letters: Int) -> Int { letters < 3 ? 0 : letters < 6 ? 1 : 2 }

  private final class Candidates {
    var distance: EditDistance
    let sound: [Unicode.Scalar]
    var mistakes: Int
    var terms: [[UInt8]] = []

    /// nil where the word is none that is corrected: of two letters or fewer, or with digits.
    init?(_ word: [UInt8]) {
      let wanted = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
      mistakes = WordCorrector.mostMistakes(wanted.count)
      guard mistakes > 0, wanted.allSatisfy({ $0.properties.isAlphabetic || $0 == "'" }) else { return nil }
      sound = WordCorrector.sound(wanted)
      distance = EditDistance(to: wanted)
    }

    func add(_ term: UnsafeRawBufferPointer, prefix: Int) {
      let word = UnsafeRawBufferPointer(rebasing: term[prefix...])
      guard let found = distance.from(word, atMost: mistakes) else { return }
      if found < mistakes {
        mistakes = found
        terms = []
      }
      terms.append(Array(term))
    }
  }

  /// For each word the one with the fewest mistakes; of those the ones that sound alike, then the most frequent, then
  /// the first in order. The index's words are walked once for all.
  func closest(to words: [[UInt8]]) throws -> [String?] {
    let all = words.map { Candidates($0) }
    let sought = all.compactMap(\.self)
    guard !sought.isEmpty else { return words.map { _ in nil } }
    let length = prefix.count
    // Words begin with small letters; what else has the prefix begins with other bytes.
    try reader.eachTerm(prefix: prefix, from: prefix + [UInt8(ascii: "a")]) { term in
      for candidates in sought { candidates.add(term, prefix: length) }
      return true
    }
    return try all.map { try $0.flatMap { try best($0) } }
  }

  private func best(_ candidates: Candidates) throws -> String? {
    var best: (word: String, rank: (Int, Int))?
    for term in candidates.terms {
      let word = String(decoding: term.dropFirst(prefix.count), as: UTF8.self)
      guard !stopWords.contains(word) else { continue }
      let isAlike = Self.sound(Array(word.unicodeScalars)) == candidates.sound
      let rank = (isAlike ? 1 : 0, try reader.frequency(of: term))
      if rank > best?.rank ?? (0, 0) { best = (word, rank) }
    }
    return best?.word
  }

  /// The letters with those that are often taken for each other as one, and double ones once.
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
