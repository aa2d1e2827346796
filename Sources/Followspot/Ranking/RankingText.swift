internal import SearchIndex

/// The words of a short text as the second stage of ranking compares them: without regard to case and diacritics, of
/// letters and digits alone. `O'Brien` is one word, `WALL-E` is two.
struct RankingText {
  /// All words, one behind the other without anything between them.
  private(set) var bytes: [UInt8] = []
  /// Where each word ends.
  private(set) var ends: [Int] = []

  var count: Int { ends.count }
  var isEmpty: Bool { ends.isEmpty }

  func start(of word: Int) -> Int { word == 0 ? 0 : ends[word - 1] }
  subscript(word: Int) -> ArraySlice<UInt8> { bytes[start(of: word)..<ends[word]] }

  init() {}

  init(_ text: String, _ folder: inout TextFolder) {
    var text = text
    text.withUTF8 { read(UnsafeRawBufferPointer($0), &folder) }
  }

  /// Takes another text, keeping the memory.
  mutating func read(_ text: UnsafeRawBufferPointer, _ folder: inout TextFolder) {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    if text.allSatisfy({ $0 < 0x80 }) {
      append(text)
    } else {
      var folded = folder.fold(String(decoding: text, as: UTF8.self)).lowercased()
      folded.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
  }

  /// What is not ASCII counts as a letter, but for punctuation, whose characters begin with the byte E2 or C2.
  private mutating func append(_ text: UnsafeRawBufferPointer) {
    var isInWord = false
    var at = 0
    while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      case UInt8(ascii: "'"): continue
      case 0xc2, 0xe2:
        while at < text.count, text[at] & 0xc0 == 0x80 { at += 1 }
        fallthrough
      case ..<0x80:
        if isInWord { ends.append(bytes.count) }
        isInWord = false
        continue
      default: bytes.append(byte)
      }
      isInWord = true
    }
    if isInWord { ends.append(bytes.count) }
  }

  /// The text without some of its words; the text itself where all would go.
  func without(_ words: Set<ArraySlice<UInt8>>) -> RankingText {
    var rest = RankingText()
    for word in 0..<count where !words.contains(self[word]) {
      rest.bytes += self[word]
      rest.ends.append(rest.bytes.count)
    }
    return rest.isEmpty ? self : rest
  }

  /// Where the words of another text, taken together, begin in this one as whole words side by side, whatever stands
  /// between them: `wall e` in `WALLE!`. nil where they do not.
  func firstWord(of other: RankingText) -> Int? {
    guard !other.isEmpty, other.bytes.count <= bytes.count else { return nil }
    return (0..<count).first { word in
      let start = start(of: word)
      let end = start + other.bytes.count
      return end <= bytes.count && ends[word...].contains(end) && bytes[start..<end].elementsEqual(other.bytes)
    }
  }

  /// The words side by side that are another one when they are written together: 1 and 2 of `a wall-e` are `walle`. nil
  /// where there are none, or a single one is.
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
