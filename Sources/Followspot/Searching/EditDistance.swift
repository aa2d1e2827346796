/// How many mistakes lie between one word and many others, most of which are out without being aligned.
struct EditDistance {
  private var alignment: Alignment<Unicode.Scalar>
  private let letters: UInt64

  init(to wanted: [Unicode.Scalar]) {
    alignment = Alignment(to: wanted)
    letters = wanted.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
  }

  /// nil where it is more than `most`.
  mutating func from(_ word: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
    let length = alignment.wanted.count
    // Fewer bytes than letters, or more than four a letter, cannot be enough.
    guard word.count >= length - most, word.count <= 4 * (length + most) else { return nil }
    // Letters that only one of them has are mistakes; most words are out by that alone.
    var mask: UInt64 = 0
    var isASCII = true
    for byte in word {
      isASCII = isASCII && byte < 0x80
      mask |= 1 << UInt64(byte & 63)
    }
    if isASCII {
      guard word.count <= length + most, isClose(mask, most) else { return nil }
      return alignment.distance(to: word.map { Unicode.Scalar($0) }, atMost: most)
    }
    let other = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    guard abs(other.count - length) <= most,
      isClose(other.reduce(0) { $0 | 1 << UInt64($1.value & 63) }, most)
    else { return nil }
    return alignment.distance(to: other, atMost: most)
  }

  private func isClose(_ mask: UInt64, _ most: Int) -> Bool {
    (mask & ~letters).nonzeroBitCount <= most && (letters & ~mask).nonzeroBitCount <= most
  }
}
