internal import SearchIndex
@_spi(_Unicode) internal import Swift

/// A word of a query that was typed with diacritics, or with other letters that folding replaces: `café`, `Straße`.
struct AccentedWord {
  /// The word without them, in lower case.
  let folded: [UInt8]
  /// The word up to the last letter that folding replaces, as texts may write it: in lower case, with a capital and in
  /// capitals, each with composed and with decomposed characters.
  private let starts: Set<[UInt8]>

  /// The words of a text that have such letters.
  static func all(in text: String, _ folder: inout TextFolder) -> [AccentedWord] {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
    var words: [AccentedWord] = []
    for part in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      guard let last = part.lastIndex(where: { folder.fold(String($0)) != String($0) }) else { continue }
      let start = String(part[...last])
      let spellings = [start, start.prefix(1).uppercased() + start.dropFirst(), start.uppercased()]
      words.append(
        AccentedWord(
          folded: Array(folder.fold(String(part)).lowercased().utf8),
          starts: Set(spellings.flatMap { [Self.utf8($0._nfc), Self.utf8($0._nfd)] })))
    }
    return words
  }

  private static func utf8(_ scalars: some Sequence<Unicode.Scalar>) -> [UInt8] {
    scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
  }

  /// Whether a text has a word with the same beginning, which `isSame` accepts.
  ///
  /// - Parameters:
  ///   - text: In UTF-8.
  ///   - isSame: Compares the folded word of the text, in lower case.
  func isWritten(
    in text: UnsafeRawBufferPointer, _ folder: inout TextFolder, _ isSame: (ArraySlice<UInt8>) throws -> Bool
  ) rethrows -> Bool {
    for start in starts {
      var at = 0
      while let first = text.offset(of: start, from: at) {
        at = first + start.count
        guard !Self.endsInWord(text[..<first]) else { continue }
        while at < text.count, WordRule.kind(of: text[at]) != .other { at += 1 }
        let word = folder.fold(String(decoding: text[first..<at], as: UTF8.self)).lowercased()
        if try isSame(Array(word.utf8)[...]) { return true }
      }
    }
    return false
  }

  private static func endsInWord(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let lead = text.last { WordRule.kind(of: $0) != .continuation }
    return lead.map { WordRule.kind(of: $0) != .other } ?? false
  }
}
