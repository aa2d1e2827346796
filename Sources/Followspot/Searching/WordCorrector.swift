internal import SearchIndex

/// Finds the word of an index that is closest to another. It walks the index's own words, so that nothing has to be kept
/// right beside them.
struct WordCorrector {
  let index: OpenIndex
  /// Of the words of one field; empty for all.
  let prefix: [UInt8]
  /// Words that say too little to stand for another.
  let stopWords: Set<String>

  /// Mistakes that a word of so many letters may have.
  private static func mostMistakes(_ letters: Int) -> Int { letters < 3 ? 0 : letters < 6 ? 1 : 2 }

  private final class Candidates {
    var distance: EditDistance
    let wanted: [Unicode.Scalar]
    let sound: [Unicode.Scalar]
    let mistakes: Int
    var terms: [(term: [UInt8], distance: Int)] = []

    /// nil where the word is none that is corrected: of two letters or fewer, or with digits.
    init?(_ word: [UInt8]) {
      wanted = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
      mistakes = WordCorrector.mostMistakes(wanted.count)
      guard mistakes > 0, wanted.allSatisfy({ $0.properties.isAlphabetic || $0 == "'" }) else { return nil }
      sound = WordCorrector.sound(wanted)
      distance = EditDistance(to: wanted)
    }

    func add(_ term: UnsafeRawBufferPointer, prefix: Int) {
      let word = UnsafeRawBufferPointer(rebasing: term[prefix...])
      // The word itself may be in documents that an overlay hides.
      guard let found = distance.from(word, atMost: mistakes), found > 0 else { return }
      terms.append((Array(term), found))
    }
  }

  /// For each word the one with the fewest mistakes; of those the ones that sound alike, then the most frequent, then
  /// the first in order.
  func closest(to words: [[UInt8]]) throws -> [String?] {
    try words.map { word in
      guard let candidates = Candidates(word) else { return nil }
      try gather(candidates)
      return try best(candidates)
    }
  }

  /// Walks the words that begin with the first letter or, as when two were swapped or one was typed too many, with the
  /// second. Where the first letter is another or is missing, the rest has to be right: to walk all words takes long.
  private func gather(_ candidates: Candidates) throws {
    let length = prefix.count
    let starts = Set(candidates.wanted.prefix(2))
    for start in starts.sorted() {
      let beginning = prefix + Array(String(start).utf8)
      try index.reader.eachTerm(prefix: beginning, from: beginning) { term in
        candidates.add(term, prefix: length)
        return true
      }
    }
    for letter in UInt8(ascii: "a")...UInt8(ascii: "z") where !starts.contains(Unicode.Scalar(letter)) {
      for rest in [candidates.wanted[...], candidates.wanted.dropFirst()] {
        let term = prefix + [letter] + rest.flatMap { Array(String($0).utf8) }
        if try index.reader.frequency(of: term) > 0 { term.withUnsafeBytes { candidates.add($0, prefix: length) } }
      }
    }
  }

  private func best(_ candidates: Candidates) throws -> String? {
    let ranked = try candidates.terms.compactMap {
      term, distance -> (term: [UInt8], word: String, rank: (Int, Int, Int, String))? in
      let word = String(decoding: term.dropFirst(prefix.count), as: UTF8.self)
      guard !stopWords.contains(word) else { return nil }
      let isAlike = Self.sound(Array(word.unicodeScalars)) == candidates.sound
      return (term, word, (distance, isAlike ? 0 : 1, -(try index.reader.frequency(of: term)), word))
    }
    // The nearest may be in documents alone that an overlay hides.
    return try ranked.sorted { $0.rank < $1.rank }.first { try index.occurs($0.term) }?.word
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
