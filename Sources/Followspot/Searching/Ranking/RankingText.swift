// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The words of a short text, for comparison in the second stage of ranking: only letters and digits, without case and
/// diacritics. `O'Brien` is one word, `WALL-E` is two.
struct RankingText {
  /// All words, concatenated.
  private(set) var bytes: [UInt8] = []
  /// The end offset of each word.
  private(set) var ends: [Int] = []

  var count: Int { ends.count }
  var isEmpty: Bool { ends.isEmpty }

  func start(of word: Int) -> Int { word == 0 ? 0 : ends[word - 1] }
  subscript(word: Int) -> ArraySlice<UInt8> { bytes[start(of: word)..<ends[word]] }

  var words: [String] { (0..<count).map { String(decoding: self[$0], as: UTF8.self) } }

  init() {}

  init(_ text: String, _ folder: inout TextFolder) {
    var text = text
    self = text.withUTF8 { RankingText(UnsafeRawBufferPointer($0), &folder) }
  }

  /// - Parameter text: In UTF-8.
  init(_ text: UnsafeRawBufferPointer, _ folder: inout TextFolder) {
    guard text.contains(where: { $0 >= 0x80 }) else {
      read(text)
      return
    }
    var folded: [UInt8] = []
    _ = folder.append(text, to: &folded)
    // Most letters are ASCII when their accents are gone.
    if folded.contains(where: { $0 >= 0x80 }) {
      folded = Array(String(decoding: folded, as: UTF8.self).lowercased().utf8)
    }
    folded.withUnsafeBytes { read($0) }
  }

  /// Adds the words of another text.
  mutating func append(_ other: RankingText) {
    guard !isEmpty else {
      self = other
      return
    }
    let start = bytes.count
    bytes += other.bytes
    ends += other.ends.map { $0 + start }
  }

  /// Characters beyond ASCII count as letters, except for punctuation (`WordRule.kind`).
  private mutating func read(_ text: UnsafeRawBufferPointer) {
    ends.reserveCapacity(text.count / 4 + 1)
    bytes = [UInt8](unsafeUninitializedCapacity: text.count) { words, length in
      var isInWord = false
      var at = 0
      while at < text.count {
        let byte = text[at]
        at += 1
        // Most bytes are small letters, and the call is not inlined.
        let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
        switch isSmall ? .lower : WordRule.kind(of: byte) {
        case .upper: words[length] = byte | 0x20
        case .other:
          if byte == UInt8(ascii: "'") { continue }
          while byte >= 0x80, at < text.count, text[at] & 0xc0 == 0x80 { at += 1 }
          if isInWord { ends.append(length) }
          isInWord = false
          continue
        case .lower, .digit, .unspaced, .continuation: words[length] = byte
        }
        length += 1
        isInWord = true
      }
      if isInWord { ends.append(length) }
    }
  }

  /// The text without some of its words; the whole text if nothing would remain.
  func without(_ words: Set<ArraySlice<UInt8>>) -> RankingText {
    guard let first = (0..<count).first(where: { words.contains(self[$0]) }) else { return self }
    let kept = (0..<first) + (first + 1..<count).filter { !words.contains(self[$0]) }
    return kept.isEmpty ? self : keeping(kept)
  }

  /// The text with each word that starts in one way replaced by this start.
  func replacingWords(startingWith start: [UInt8]) -> RankingText {
    guard (0..<count).contains(where: { self[$0].starts(with: start) }) else { return self }
    var replaced = RankingText()
    for word in 0..<count {
      replaced.bytes += self[word].starts(with: start) ? start[...] : self[word]
      replaced.ends.append(replaced.bytes.count)
    }
    return replaced
  }

  /// Some of its words.
  func keeping(_ indices: [Int]) -> RankingText {
    var kept = RankingText()
    for word in indices {
      kept.bytes += self[word]
      kept.ends.append(kept.bytes.count)
    }
    return kept
  }

  /// The index of the first of adjacent words that, concatenated, equal another text: `wall e` in `WALLE!`. nil if
  /// there are none.
  func firstWord(of other: RankingText) -> Int? {
    guard !other.isEmpty, other.bytes.count <= bytes.count else { return nil }
    return (0..<count).first { word in
      let start = start(of: word)
      let end = start + other.bytes.count
      return end <= bytes.count && ends[word...].contains(end) && bytes[start..<end].elementsEqual(other.bytes)
    }
  }

  /// The adjacent words, at least two, that make another word when they are joined: 1 and 2 of `a wall-e` for `walle`.
  /// nil if there are none.
  func parts(of word: ArraySlice<UInt8>) -> Range<Int>? {
    for first in 0..<max(0, count - 1) where word.starts(with: self[first]) && self[first].count < word.count {
      let end = start(of: first) + word.count
      if let last = ends[first...].firstIndex(of: end), bytes[start(of: first)..<end] == word {
        return first..<(last + 1)
      }
    }
    return nil
  }

  /// Whether the last words are those of another text.
  func ends(with other: RankingText) -> Bool {
    let start = bytes.count - other.bytes.count
    return !other.isEmpty && (start == 0 || start > 0 && ends.contains(start))
      && bytes[max(0, start)...] == other.bytes[...]
  }

  /// Whether both are the same words.
  func isSame(as other: RankingText) -> Bool { bytes == other.bytes && !isEmpty }
}
