// SPDX-License-Identifier: MIT

/// Counts the words of folded text without the stop words, which say nothing about a field's length.
package struct WordCounter: Sendable {
  /// A hash table with linear probing: the lower-case bytes of each stop word as one number, 0 for a free slot. Its
  /// size is a power of two.
  private var slots: [UInt64] = [0]

  /// - Parameter stopWords: Words above 8 bytes are counted like all other words.
  package init(stopWords: [String] = []) {
    let packed = stopWords.compactMap { word in
      word.utf8.isEmpty || word.utf8.count > 8 ? nil : word.utf8.reduce(0) { $0 << 8 | UInt64($1 | 0x20) }
    }
    while slots.count < packed.count * 4 { slots += slots }
    for word in packed {
      let slot = slot(of: word)
      slots[slot] = word
    }
  }

  /// The slot of a word, or the free slot for it.
  private func slot(of word: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> 32) & (slots.count - 1)
    while slots[slot] != 0, slots[slot] != word { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  /// The number of words in folded text. A character of a script that puts no blanks between words counts as one.
  package func words(in text: UnsafeRawBufferPointer) -> Int {
    var words = 0
    // The lower-case bytes of the current word, and how many there are.
    var (word, length) = (UInt64(0), 0)
    func end() {
      if length > 0, length > 8 || slots[slot(of: word)] == 0 { words += 1 }
      (word, length) = (0, 0)
    }
    for byte in text {
      switch WordRule.kind(of: byte) {
      case .lower, .upper, .digit:
        word = word << 8 | UInt64(byte | 0x20)
        length += 1
      case .unspaced:
        end()
        (word, length) = (0, 9)
      case .other where byte != UInt8(ascii: "'"): end()
      case .continuation, .other:
        if length > 0 {
          word = word << 8 | UInt64(byte | 0x20)
          length += 1
        }
      }
    }
    end()
    return words
  }
}
