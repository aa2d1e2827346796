// SPDX-License-Identifier: MIT

/// Computes the width of a text in columns of a terminal. Emoji and most characters of Chinese, Japanese and Korean
/// take two columns. Combining marks take none.
package enum DisplayWidth {
  /// The characters besides emoji that take two columns: East Asian Width W and F of Unicode, with the unassigned code
  /// points between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf, 0x4e00...0xa4c6,
    0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfad9, 0xfe10...0xfe19, 0xfe30...0xfe6b, 0xff01...0xff60,
    0xffe0...0xffe6, 0x16fe0...0x1b2fb, 0x1f200...0x1f265, 0x20000...0x3fffd,
  ]

  package static func of(_ text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.properties.isEmoji, scalars.dropFirst().contains(where: makesEmoji) { return 2 }
    // The two letters of a flag are one character, which takes two columns.
    return min(scalars.reduce(0) { $0 + of($1) }, first.properties.isEmojiPresentation ? 2 : .max)
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    let properties = scalar.properties
    if properties.isEmojiPresentation || wide.contains(where: { $0.contains(scalar.value) }) { return 2 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default:
      // The second and third letters of a Korean syllable are drawn in the columns of the first.
      let isInside = (0x1160...0x11ff).contains(scalar.value) || (0xd7b0...0xd7ff).contains(scalar.value)
      return isInside || properties.isDefaultIgnorableCodePoint ? 0 : 1
    }
  }

  /// Whether the scalar turns the character before it into an emoji, or joins several emoji into one.
  private static func makesEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0xfe0f || scalar.value == 0x200d || scalar.properties.isEmojiModifier
  }

  /// Truncates a text to `width` columns, including an ellipsis. A text that fits is not changed.
  package static func truncate(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var (shown, used) = ("", 0)
    for character in text {
      let columns = of(character)
      guard used + columns < width else { break }
      shown.append(character)
      used += columns
    }
    return width > 0 ? shown + "…" : ""
  }

  /// Pads a text with trailing spaces to `width` columns.
  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - of(text)))
  }
}
