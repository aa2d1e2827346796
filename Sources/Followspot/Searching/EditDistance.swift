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
  mutating func from(_ word: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
    // Fewer bytes than letters, or more than four a letter, cannot be enough.
    guard word.count >= wanted.count - most, word.count <= 4 * (wanted.count + most) else { return nil }
    // Letters that only one of them has are mistakes; most words are out by that alone.
    var mask: UInt64 = 0
    var isASCII = true
    for byte in word {
      isASCII = isASCII && byte < 0x80
      mask |= 1 << UInt64(byte & 63)
    }
    if isASCII {
      guard word.count <= wanted.count + most, isClose(mask, most) else { return nil }
      return compare(word.map { Unicode.Scalar($0) }, most)
    }
    let other = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    guard abs(other.count - wanted.count) <= most,
      isClose(other.reduce(0) { $0 | 1 << UInt64($1.value & 63) }, most)
    else { return nil }
    return compare(other, most)
  }

  private func isClose(_ mask: UInt64, _ most: Int) -> Bool {
    (mask & ~letters).nonzeroBitCount <= most && (letters & ~mask).nonzeroBitCount <= most
  }

  private mutating func compare(_ other: [Unicode.Scalar], _ most: Int) -> Int? {
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
