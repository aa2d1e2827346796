// SPDX-License-Identifier: MIT

internal import SearchIndex
@_spi(_Unicode) internal import Swift

/// A word of a query that was typed with diacritics, or with other letters that folding replaces: `café`, `Straße`.
struct AccentedWord {
  /// Maximum number of letters of a start.
  private static let longestStart = 3

  /// The word without them, in lower case.
  let folded: [UInt8]
  /// As typed, in lower case.
  private let typed: String
  /// How texts may begin the word with the same accents and with others: in lower case, with a capital and in capitals.
  private let starts: Set<[UInt8]>

  /// The words of a text that have such letters.
  static func all(in text: String, _ folder: inout TextFolder) -> [AccentedWord] {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
    var words: [AccentedWord] = []
    for part in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      let word = String(part)
      guard let first = word.firstIndex(where: { folder.fold(String($0)) != String($0) }) else { continue }
      words.append(AccentedWord(word, firstAccent: first, &folder))
    }
    return words
  }

  private init(_ typed: String, firstAccent: String.Index, _ folder: inout TextFolder) {
    self.typed = typed
    folded = Array(folder.fold(typed).lowercased().utf8)
    // Accents may differ from the first one on.
    var starts = [String(typed[..<firstAccent].prefix(Self.longestStart))]
    if firstAccent == typed.startIndex {
      let letter = String(typed.prefix(1))
      starts = [letter, String(folder.fold(letter).prefix(1))]
    }
    let spellings = starts.flatMap { [$0, $0.prefix(1).uppercased() + $0.dropFirst(), $0.uppercased()] }
    self.starts = Set(spellings.flatMap { [Self.utf8($0._nfc), Self.utf8($0._nfd)] })
  }

  private static func utf8(_ scalars: some Sequence<Unicode.Scalar>) -> [UInt8] {
    scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
  }

  /// Whether a text has the word with the same accents; nil if the text does not have the word.
  ///
  /// - Parameters:
  ///   - text: In UTF-8.
  ///   - shared: Compares a folded word of the text, in lower case: the number of its bytes that must have the accents of
  ///     this word, or nil if it is another word.
  func isWritten(
    in text: UnsafeRawBufferPointer, _ folder: inout TextFolder, _ shared: (ArraySlice<UInt8>) throws -> Int?
  ) rethrows -> Bool? {
    var found: Bool?
    for start in starts {
      var at = 0
      while let first = text.offset(of: start, from: at) {
        at = first + start.count
        guard !Self.endsInWord(text[..<first]) else { continue }
        while at < text.count, WordRule.kind(of: text[at]) != .other { at += 1 }
        let word = String(decoding: text[first..<at], as: UTF8.self).lowercased()
        guard let count = try shared(Array(folder.fold(word).lowercased().utf8)[...]) else { continue }
        found = Self.start(of: word, count, &folder) == Self.start(of: typed, count, &folder)
        if found == true { return true }
      }
    }
    return found
  }

  /// The first letters of a word, which are a number of bytes when they are folded.
  private static func start(of word: String, _ count: Int, _ folder: inout TextFolder) -> Substring {
    var left = count
    return word.prefix { letter in
      left -= folder.fold(String(letter)).utf8.count
      return left >= 0
    }
  }

  private static func endsInWord(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let lead = text.last { WordRule.kind(of: $0) != .continuation }
    return lead.map { WordRule.kind(of: $0) != .other } ?? false
  }
}
