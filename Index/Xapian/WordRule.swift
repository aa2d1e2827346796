// SPDX-License-Identifier: MIT

internal import CXapian

/// What a word is: the rule of Xapian's tokeniser, for all code that looks at words without asking it.
///
/// A word is a run of letters, digits and marks. Single signs may stand inside: an apostrophe between letters (`o'brien`),
/// a point or a comma between digits (`1,000`). Up to three `+` or `#` may stand behind it (`C++`, `C#`). Capitals with
/// points between them are one word (`U.S.A`). A symbol outside ASCII is a word of one character (`🎉`, `→`, `€`), and so is
/// a letter of a script without blanks. The rule applies to folded text, as `TextFolder` makes it: other signs divide
/// words.
package enum WordRule {
  // MARK: Scalars

  /// Letters, digits, marks and connecting punctuation.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      let kind = kind(of: UInt8(scalar.value))
      return kind == .lower || kind == .upper || kind == .digit || scalar == "_"
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .enclosingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation:
      return true
    default: return false
    }
  }

  /// Symbols outside ASCII: emoji, arrows, signs of mathematics and of currencies, and the like.
  static func isSymbol(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && cx_is_symbol(scalar.value) != 0
  }

  /// Whether a text is one word of ASCII letters and digits.
  package static func isPlainWord(_ text: some Collection<UInt8>) -> Bool {
    guard (1...TextFolder.longestWord).contains(text.count) else { return false }
    return text.allSatisfy { byte in
      let kind = kind(of: byte)
      return byte < 0x80 && (kind == .lower || kind == .upper || kind == .digit)
    }
  }

  /// `C++`, `C#`.
  static func isSuffix(_ scalar: Unicode.Scalar) -> Bool { scalar == "+" || scalar == "#" }

  static let mostSuffixes = 3

  /// What may stand inside of a word: `o'brien`.
  private static func isInfix(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "'" || scalar == "\u{5f4}" || isIgnored(scalar)
  }

  /// What may stand between digits.
  private static func isDigitInfix(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", ",", "\u{589}", "\u{60d}", "\u{66c}", "\u{7f8}", "\u{2044}", "\u{fe10}", "\u{fe13}",
      "\u{fe14}":
      true
    default: isIgnored(scalar)
    }
  }

  /// What the tokeniser drops inside of a word.
  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}": true
    default: false
    }
  }

  /// What may stand inside of some word.
  static func isAnyInfix(_ scalar: Unicode.Scalar) -> Bool { isInfix(scalar) || isDigitInfix(scalar) }

  /// Letters of scripts without blanks between words, of which the tokeniser makes single letters and pairs.
  package static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2e80...0x2eff, 0x3000...0x9fff, 0xa700...0xa71f, 0xac00...0xd7af, 0xf900...0xfaff, 0xfe30...0xfe4f,
      0xff00...0xffef, 0x20000...0x2a6df, 0x2f800...0x2fa1f:
      true
    default: false
    }
  }

  /// Whether a word in UTF-8 is of such letters.
  package static func isUnspaced(_ word: some Collection<UInt8>) -> Bool {
    String(decoding: word.prefix(4), as: UTF8.self).unicodeScalars.first.map(isUnspaced) ?? false
  }

  /// The words of folded text, in their order.
  package static func words(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var at = 0
    while at < scalars.count {
      let start = at
      guard isWord(scalars[at]) else {
        at += 1
        if isSymbol(scalars[start]) { words.append(start..<at) }
        continue
      }
      at = isUnspaced(scalars[start]) ? start + 1 : endOfSpaced(from: start, in: scalars)
      words.append(start..<at)
    }
    return words
  }

  private static func isWord(_ scalars: [Unicode.Scalar], _ at: Int) -> Bool {
    at < scalars.count && isWord(scalars[at])
  }

  private static func endOfSpaced(from start: Int, in scalars: [Unicode.Scalar]) -> Int {
    endOfInitials(from: start, in: scalars) ?? endOfWord(from: start, in: scalars)
  }

  /// nil where no capitals with points between them begin here.
  private static func endOfInitials(from start: Int, in scalars: [Unicode.Scalar]) -> Int? {
    func isCapital(_ at: Int) -> Bool { at < scalars.count && ("A"..."Z").contains(scalars[at]) }
    guard isCapital(start) else { return nil }
    var end = start + 1
    while end < scalars.count, scalars[end] == ".", isCapital(end + 1) { end += 2 }
    return end > start + 1 && !isWord(scalars, end) ? end : nil
  }

  private static func endOfWord(from start: Int, in scalars: [Unicode.Scalar]) -> Int {
    func isDigit(_ at: Int) -> Bool { scalars[at].properties.generalCategory == .decimalNumber }
    var at = start
    while isWord(scalars, at), !isUnspaced(scalars[at]) {
      at += 1
      guard at < scalars.count, !isWord(scalars, at), isWord(scalars, at + 1) else { continue }
      if isDigit(at - 1) && isDigit(at + 1) ? isDigitInfix(scalars[at]) : isInfix(scalars[at]) { at += 1 }
    }
    var end = at
    while end < scalars.count, isSuffix(scalars[end]) { end += 1 }
    return end - at > mostSuffixes || isWord(scalars, end) ? at : end
  }

  // MARK: Bytes

  /// What a byte of folded UTF-8 is, for code that cannot afford to decode it.
  package enum ByteKind {
    case other
    /// A small letter, or the first byte of a letter beyond ASCII.
    case lower
    case upper, digit
    /// The first byte of a letter of a script without blanks, or of a rare one.
    case unspaced
    /// A further byte of a character.
    case continuation
  }

  /// Of beyond ASCII, what begins with C2 or E2 is punctuation, and everything else letters.
  @inline(__always)
  package static func kind(of byte: UInt8) -> ByteKind {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), 0xc0, 0xc1, 0xc3...0xe1, 0xf0...0xff: .lower
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    case 0xe3...0xef: .unspaced
    case 0x80...0xbf: .continuation
    default: .other
    }
  }
}
