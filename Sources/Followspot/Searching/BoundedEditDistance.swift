/// The edit distance between one word and many others, up to a bound. Letters and lengths alone rule most words out.
struct BoundedEditDistance {
  private var full: EditDistance<Unicode.Scalar>
  private let letters: UInt64

  init(to wanted: [Unicode.Scalar]) {
    full = EditDistance(to: wanted)
    letters = wanted.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
  }

  /// nil where it is more than `most`.
  mutating func from(_ word: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
    let length = full.wanted.count
    // Fewer bytes than letters, or more than four a letter, cannot be enough.
    guard word.count >= length - most, word.count <= 4 * (length + most) else { return nil }
    // Letters that only one of them has are mistakes; that alone rules most words out.
    var mask: UInt64 = 0
    var isASCII = true
    for byte in word {
      isASCII = isASCII && byte < 0x80
      mask |= 1 << UInt64(byte & 63)
    }
    if isASCII {
      guard word.count <= length + most, isClose(mask, most) else { return nil }
      return full.distance(to: word.map { Unicode.Scalar($0) }, atMost: most)
    }
    let other = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    guard abs(other.count - length) <= most,
      isClose(other.reduce(0) { $0 | 1 << UInt64($1.value & 63) }, most)
    else { return nil }
    return full.distance(to: other, atMost: most)
  }

  private func isClose(_ mask: UInt64, _ most: Int) -> Bool {
    (mask & ~letters).nonzeroBitCount <= most && (letters & ~mask).nonzeroBitCount <= most
  }
}
