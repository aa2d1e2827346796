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

  /// The word with the fewest mistakes; of those the ones that sound alike, then the most frequent, then the first in
  /// order. Words with digits are not corrected.
  func closest(to word: [UInt8]) throws -> String? {
    let wanted = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    let most = Self.mostMistakes(wanted.count)
    guard most > 0, wanted.allSatisfy({ $0.properties.isAlphabetic || $0 == "'" }) else { return nil }
    final class Candidates {
      var mistakes: Int
      var terms: [[UInt8]] = []
      init(_ most: Int) { mistakes = most }
    }
    let candidates = Candidates(most)
    var distance = EditDistance(to: wanted)
    // Words begin with small letters; what else has the prefix begins with other bytes.
    try reader.eachTerm(prefix: prefix, from: prefix + [UInt8(ascii: "a")]) { [prefix] term in
      let found = distance.from(term.dropFirst(prefix.count), atMost: candidates.mistakes)
      guard let found else { return true }
      if found < candidates.mistakes {
        candidates.mistakes = found
        candidates.terms = []
      }
      candidates.terms.append(term)
      return true
    }
    let sound = Self.sound(wanted)
    var best: (word: String, rank: (Int, Int))?
    for term in candidates.terms {
      let word = String(decoding: term.dropFirst(prefix.count), as: UTF8.self)
      guard !stopWords.contains(word) else { continue }
      let rank = (Self.sound(Array(word.unicodeScalars)) == sound ? 1 : 0, try reader.frequency(of: term))
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

/// Insertions, deletions, replacements and swaps of neighbours between one word and others (optimal string alignment).
struct EditDistance {
  private let wanted: [Unicode.Scalar]
  private let letters: UInt64
  private var before: [Int]
  private var previous: [Int]
  private var row: [Int]

  init(to wanted: [Unicode.Scalar]) {
    self.wanted = wanted
    letters = wanted.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
    row = [Int](repeating: 0, count: wanted.count + 1)
    (before, previous) = (row, row)
  }

  /// nil where it is more than `most`.
  mutating func from(_ word: ArraySlice<UInt8>, atMost most: Int) -> Int? {
    // Fewer bytes than letters, or more than four a letter, cannot be enough.
    guard word.count >= wanted.count - most, word.count <= 4 * (wanted.count + most) else { return nil }
    let isASCII = word.allSatisfy { $0 < 0x80 }
    if isASCII, word.count > wanted.count + most { return nil }
    let other =
      isASCII ? word.map { Unicode.Scalar($0) } : Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    let mask = other.reduce(UInt64(0)) { $0 | 1 << UInt64($1.value & 63) }
    guard abs(other.count - wanted.count) <= most, (mask & ~letters).nonzeroBitCount <= most,
      (letters & ~mask).nonzeroBitCount <= most
    else { return nil }
    for place in row.indices { previous[place] = place }
    for i in other.indices {
      row[0] = i + 1
      var least = row[0]
      for j in wanted.indices {
        var best = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (other[i] == wanted[j] ? 0 : 1))
        if i > 0, j > 0, other[i] == wanted[j - 1], other[i - 1] == wanted[j] { best = min(best, before[j - 1] + 1) }
        row[j + 1] = best
        least = min(least, best)
      }
      // A swap looks two rows back: it adds one to what is there.
      guard least <= most || (i > 0 && previous.contains { $0 < most }) else { return nil }
      (before, previous, row) = (previous, row, before)
    }
    let distance = previous[wanted.count]
    return distance <= most ? distance : nil
  }
}
