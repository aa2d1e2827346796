// SPDX-License-Identifier: MIT

internal import Base

/// The edit distance between one word and many others, up to a bound. Comparing letters and lengths rules out most
/// words.
struct BoundedEditDistance {
  private var full: EditDistance<Unicode.Scalar>
  private let letters: UInt64

  init(to wanted: [Unicode.Scalar]) {
    full = EditDistance(to: wanted)
    letters = wanted.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
  }

  /// The edit distance; nil if it is greater than `most`.
  mutating func from(_ word: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
    let length = full.wanted.count
    // A letter has one to four bytes, so a word with fewer or more bytes is too short or too long.
    guard word.count >= length - most, word.count <= 4 * (length + most) else { return nil }
    // Each letter that only one of the words has is a mistake. This alone rules out most words.
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
