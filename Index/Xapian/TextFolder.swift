// SPDX-License-Identifier: MIT

// The standard library normalises strings but offers the decomposed form to its own libraries only.
@_spi(_Unicode) internal import Swift

/// Makes text ready for tokenising, for documents and queries alike: valid UTF-8 without control characters, accents
/// and other diacritics removed, words of more than 64 bytes cut, blanks between symbols and what touches them. Signs that
/// divide words are hyphens or blanks where the tokeniser would leave them inside of a word (`divided`).
///
/// Case is folded by Xapian's tokeniser, letter by letter. It leaves the final sigma, which is replaced here. Folding comes
/// before stemming, so that `cafe` finds `Café`.
package struct TextFolder {
  /// What had to be left out of a text.
  package struct Loss: Equatable, Sendable {
    package var truncatedWords = 0
    package var isTruncated = false

    static func += (left: inout Loss, right: Loss) {
      left.truncatedWords += right.truncatedWords
      left.isTruncated = left.isTruncated || right.isTruncated
    }
  }

  /// Bytes that a word keeps. Xapian drops longer words whole.
  static let longestWord = 64
  /// Bytes that one value keeps.
  static let longestText = 16 << 20
  /// Numbers such as 1,2,3,… are one word to Xapian's tokeniser; beyond this length they are broken at the next mark.
  private static let longestInfixRun = 32

  private var folded: [Unicode.Scalar: [UInt8]] = [:]

  package init() {}

  /// Appends the text to `output`.
  package mutating func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Loss {
    if text.count <= Self.longestText, Self.isPlain(text) {
      output.append(contentsOf: text)
      return Loss()
    }
    var loss = Loss()
    let kept = UnsafeRawBufferPointer(rebasing: text.prefix(Self.longestText))
    loss.isTruncated = kept.count < text.count
    appendScalars(of: kept, to: &output, loss: &loss)
    return loss
  }

  package mutating func fold(_ text: String) -> String {
    var text = text
    var output: [UInt8] = []
    _ = text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  /// The whole folded text in lower case as UTF-8: its words are not truncated, and line breaks and tabs are spaces. Texts
  /// are ordered by these bytes.
  ///
  /// - Parameter text: In UTF-8.
  package mutating func sortKey(of text: UnsafeRawBufferPointer) -> [UInt8] {
    let kept = UnsafeRawBufferPointer(rebasing: text.prefix(Self.longestText))
    if kept.allSatisfy({ $0 < 0x80 }) { return kept.map(Self.lowered) }
    var output: [UInt8] = []
    var isASCII = true
    for scalar in String(decoding: kept, as: UTF8.self).unicodeScalars {
      if scalar.isASCII {
        output.append(Self.lowered(UInt8(truncatingIfNeeded: scalar.value)))
      } else {
        for byte in replacement(for: scalar) {
          if byte >= 0x80 { isASCII = false }
          output.append(Self.lowered(byte))
        }
      }
    }
    return isASCII ? output : Array(String(decoding: output, as: UTF8.self).lowercased().utf8)
  }

  /// The whole text in lower case as UTF-8, by which values of facets are counted: letters keep their diacritics. Width and
  /// signs are folded as in the sort key.
  package mutating func facetKey(of text: UnsafeRawBufferPointer) -> [UInt8] {
    if text.allSatisfy({ $0 < 0x80 }) { return sortKey(of: text) }
    var output = String.UnicodeScalarView()
    for scalar in String(decoding: text.prefix(Self.longestText), as: UTF8.self).unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic && !(0xff00...0xffef).contains(scalar.value) && scalar != "ς"
      if isLetter || scalar.properties.canonicalCombiningClass != .notReordered {
        output.append(scalar)
      } else {
        output.append(contentsOf: String(decoding: replacement(for: scalar), as: UTF8.self).unicodeScalars)
      }
    }
    return Array(String(output).lowercased().utf8)
  }

  /// The sort key of a text as text.
  package mutating func sortKey(of text: String) -> String {
    var text = text
    return String(decoding: text.withUTF8 { sortKey(of: UnsafeRawBufferPointer($0)) }, as: UTF8.self)
  }

  /// The first bytes of the sort key of a text, at most 8, as a big-endian number that is filled up with zeros. Only
  /// `known` of them are certain without folding the text: those before the first one that is not printable ASCII.
  package static func startOfSortKey(of text: UnsafeRawBufferPointer) -> (start: UInt64, known: Int) {
    var start: UInt64 = 0
    for index in 0..<min(8, text.count) {
      guard (0x20...0x7e).contains(text[index]) else { return (start, index) }
      start |= UInt64(lowered(text[index])) << UInt64(56 - index * 8)
    }
    return (start, 8)
  }

  /// An ASCII character in lower case, or a space for a control character. Bytes of other characters do not change.
  private static func lowered(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case 0..<0x20, 0x7f: 0x20
    default: byte
    }
  }

  /// ASCII without control characters, without signs to replace and without long words: nothing to do.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    var run = 0
    for byte in text {
      guard byte >= 0x20 ? byte < 0x7f : byte == 0x0a || byte == 0x09 || byte == 0x0d,
        byte != UInt8(ascii: "_"), byte != UInt8(ascii: "&"), byte != UInt8(ascii: ";")
      else { return false }
      run = byte > 0x20 ? run + 1 : 0
      if run > longestInfixRun { return false }
    }
    return true
  }

  private mutating func appendScalars(
    of text: UnsafeRawBufferPointer, to output: inout [UInt8], loss: inout Loss
  ) {
    var run = 0
    var isCutting = false
    var isAfterSymbol = false
    // The tokeniser joins a sign inside of a word with the first word behind letters without blanks.
    var isAfterInfix = false
    // Decoding repairs ill-formed UTF-8 with U+FFFD.
    for original in String(decoding: text, as: UTF8.self).unicodeScalars {
      // Most scalars are ASCII. They need no array.
      let bytes = original.isASCII ? [] : replacement(for: original)
      let count = original.isASCII ? 1 : bytes.count
      if count == 0 { continue }
      // What the tokeniser sees: of `＆` and `‘`, it is `&` and `'`.
      let scalar = Self.divided(bytes.count == 1 ? Unicode.Scalar(bytes[0]) : original)
      let isASCII = scalar.isASCII
      func append() {
        if isASCII { output.append(Self.replacement(forASCII: scalar)) } else { output.append(contentsOf: bytes) }
      }
      let isInfix = run > 0 && WordRule.isAnyInfix(scalar)
      defer { isAfterInfix = isInfix }
      if isInfix {
        guard run < Self.longestInfixRun else {
          output.append(0x20)
          (run, isCutting) = (0, false)
          continue
        }
      } else if !WordRule.isWord(scalar) && !WordRule.isSuffix(scalar) || WordRule.isUnspaced(scalar) {
        let isSymbol = WordRule.isSymbol(scalar)
        let touches = isSymbol ? run > 0 || isAfterSymbol : isAfterInfix && WordRule.isUnspaced(scalar)
        if touches { output.append(0x20) }
        (run, isCutting, isAfterSymbol) = (0, false, isSymbol)
        append()
        continue
      }
      if isAfterSymbol { output.append(0x20) }
      isAfterSymbol = false
      guard !isCutting, run + count <= Self.longestWord else {
        if !isCutting { loss.truncatedWords += 1 }
        isCutting = true
        continue
      }
      run += count
      append()
    }
  }

  /// A folded scalar, as it stands in a folded text. `local_cache` and `salt&pepper` are two words each, as `wall-e` is,
  /// and `1;2` is two numbers. The tokeniser would make one word of each.
  package static func divided(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "_", "&": "-"
    case ";": " "
    default: scalar
    }
  }

  /// The folded form of one scalar; empty where it is left out.
  package mutating func replacement(for scalar: Unicode.Scalar) -> [UInt8] {
    if scalar.isASCII { return [Self.replacement(forASCII: scalar)] }
    if let known = folded[scalar] { return known }
    let made = Self.fold(scalar)
    folded[scalar] = made
    return made
  }

  private static func replacement(forASCII scalar: Unicode.Scalar) -> UInt8 {
    scalar.value < 0x20 || scalar.value == 0x7f ? 0x20 : UInt8(truncatingIfNeeded: scalar.value)
  }

  private static func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
    if let letters = withoutDecomposition[scalar] { return Array(letters.utf8) }
    // Fullwidth letters and digits, and halfwidth katakana, whose marks follow their letter as in normal form D.
    if (0xff01...0xff5e).contains(scalar.value) { return [UInt8(scalar.value - 0xfee0)] }
    if halfwidth.contains(scalar.value) {
      return Array(String(katakana[Int(scalar.value - halfwidth.lowerBound)]).utf8)
    }
    if scalar.properties.generalCategory == .control { return [0x20] }
    if scalar.properties.generalCategory == .connectorPunctuation { return [UInt8(ascii: "_")] }
    // Hangul syllables decompose into letters, not into a base and marks: they stay whole.
    if (0xac00...0xd7a3).contains(scalar.value) { return Array(String(scalar).utf8) }
    var result = String.UnicodeScalarView()
    for part in String(scalar)._nfd where !isDiacritic(part) {
      result.append(contentsOf: (withoutDecomposition[part] ?? String(part)).unicodeScalars)
    }
    return Array(String(result).utf8)
  }

  /// Marks that readers leave out when they type: of Latin, Greek, Cyrillic, Hebrew and Arabic. Vowel signs of the
  /// scripts of India and South-East Asia are part of the word and stay. Selectors of a variant and of a skin colour are
  /// left out as well: `❤️` and `👍🏽` are found as `❤` and `👍`.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0300...0x036f, 0x0483...0x0487, 0x0591...0x05bd, 0x05bf, 0x05c1, 0x05c2, 0x05c4, 0x05c5, 0x05c7,
      0x0610...0x061a, 0x064b...0x065f, 0x0670, 0x06d6...0x06dc, 0x1ab0...0x1aff, 0x1dc0...0x1dff, 0x20d0...0x20ff,
      0xfe20...0xfe2f, 0x180b...0x180d, 0xfe00...0xfe0f, 0xe0100...0xe01ef, 0x1f3fb...0x1f3ff:
      true
    default: false
    }
  }

  private static let halfwidth: ClosedRange<UInt32> = 0xff61...0xff9f
  /// What the halfwidth signs and letters stand for, in their order.
  private static let katakana = Array(
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}".unicodeScalars)

  /// Letters with a stroke, ligatures, the final sigma and the like: Unicode gives them no decomposition.
  private static let withoutDecomposition: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D",
    "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t", "Ŧ": "T",
    "ŋ": "n", "Ŋ": "N", "ĸ": "k", "ƒ": "f", "ǆ": "dz", "ǅ": "Dz", "Ǆ": "DZ", "ǉ": "lj", "ǈ": "Lj", "Ǉ": "LJ",
    "ǌ": "nj", "ǋ": "Nj", "Ǌ": "NJ", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "ς": "σ",
    "\u{2018}": "'", "\u{2019}": "'", "\u{201b}": "'", "\u{2bb}": "'", "\u{2bc}": "'", "\u{ff07}": "'",
    "\u{2010}": "-", "\u{2011}": "-", "\u{2027}": "-", "\u{b7}": "-",
    "\u{ad}": "",
    "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9", "₀": "0",
    "₁": "1", "₂": "2", "₃": "3", "₄": "4", "₅": "5", "₆": "6", "₇": "7", "₈": "8", "₉": "9",
  ]
}
