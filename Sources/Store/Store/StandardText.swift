// SPDX-License-Identifier: MIT

internal import SQLite

/// Searches and compares texts as users expect, by a library that supports Unicode and the locale.
///
/// ASCII text in an English-like locale is handled here, some ten times faster and with the same results.
package struct StandardText {
  /// Whether a text contains another, ignoring case and diacritics; Foundation's `localizedStandardContains`.
  let contains: (_ text: String, _ other: String) -> Bool
  /// Compares two texts: negative, 0 or positive; Foundation's `localizedStandardCompare`.
  let compare: (_ text: String, _ other: String) -> Int
  /// Whether the locale treats ASCII as English does. It does not in languages such as Turkish, where `I` and `i`
  /// differ, or Danish, where `aa` comes last.
  let isEnglish: Bool

  package init(
    isEnglish: Bool, contains: @escaping (_ text: String, _ other: String) -> Bool,
    compare: @escaping (_ text: String, _ other: String) -> Int
  ) {
    self.isEnglish = isEnglish
    self.contains = contains
    self.compare = compare
  }

  func contains(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    // Foundation treats a NUL in its own way.
    if isEnglish, Self.isASCII(other), !other.contains(0), Self.isASCII(text) { return Self.containsASCII(text, other) }
    return contains(String(decoding: text, as: UTF8.self), String(decoding: other, as: UTF8.self))
  }

  func compare(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
    if isEnglish, let order = Self.compareASCII(text, other) { return order }
    return compare(String(decoding: text, as: UTF8.self), String(decoding: other, as: UTF8.self))
  }

  // MARK: ASCII

  private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var bits: UInt64 = 0
    var at = 0
    while at + 8 <= text.count {
      bits |= text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      at += 8
    }
    while at < text.count {
      bits |= UInt64(text[at])
      at += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// No text contains the empty text, as in Foundation.
  private static func containsASCII(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let first = other.first.map(lowercase), text.count >= other.count else { return false }
    for start in 0...(text.count - other.count) where lowercase(text[start]) == first {
      var offset = 1
      while offset < other.count, lowercase(text[start + offset]) == lowercase(other[offset]) { offset += 1 }
      if offset == other.count { return true }
    }
    return false
  }

  /// The ranks of printable ASCII in CLDR's root collation; letters of both cases have the same rank. Source: Unicode
  /// Technical Standard 35, part 5. All other characters have rank 0.
  private static let ranks: [UInt8] = {
    var ranks = [UInt8](repeating: 0, count: 256)
    for (index, byte) in " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz".utf8.enumerated() {
      ranks[Int(byte)] = UInt8(index + 1)
    }
    for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { ranks[Int(byte)] = ranks[Int(byte | 0x20)] }
    return ranks
  }()

  /// Compares letters alphabetically, numbers by value, and lower case before equal upper case. It returns nil if a character
  /// without a rank, such as an accented letter, may affect the result, or a number has leading zeros or over 17
  /// digits.
  private static func compareASCII(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int? {
    ranks.withUnsafeBufferPointer { ranks in
      func isRanked(_ text: UnsafeRawBufferPointer, _ offset: Int) -> Bool {
        offset >= text.count || ranks[Int(text[offset])] > 0
      }
      func order(_ isBefore: Bool, _ left: Int, _ right: Int) -> Int? {
        isRanked(text, left) && isRanked(other, right) ? (isBefore ? -1 : 1) : nil
      }
      var (left, right) = (0, 0)
      var tie = 0
      while left < text.count, right < other.count {
        if isDigit(text[left]), isDigit(other[right]) {
          guard let one = number(text, &left), let two = number(other, &right) else { return nil }
          if one != two { return order(one < two, left, right) }
          continue
        }
        let (one, two) = (ranks[Int(text[left])], ranks[Int(other[right])])
        guard one > 0, two > 0 else { return nil }
        if one != two { return order(one < two, left + 1, right + 1) }
        if tie == 0, text[left] != other[right] { tie = text[left] > other[right] ? -1 : 1 }
        left += 1
        right += 1
      }
      guard left == text.count, right == other.count else { return order(left == text.count, left, right) }
      return tie
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func number(_ text: UnsafeRawBufferPointer, _ offset: inout Int) -> Int? {
    let start = offset
    var number = 0
    while offset < text.count, isDigit(text[offset]), offset - start < 18 {
      number = number * 10 + Int(text[offset] &- 0x30)
      offset += 1
    }
    guard offset - start < 18, offset - start == 1 || text[start] != 0x30 else { return nil }
    return number
  }
}

extension PersistentStore {
  /// Defines `standard_contains(text, other)` and the collation `standard`.
  package func use(_ text: StandardText) throws {
    try Self.translating(path) {
      try connection.define(function: "standard_contains") { text.contains($0, $1) }
      try connection.define(collation: "standard") { text.compare($0, $1) }
    }
  }
}
