internal import SQLite

/// Searching and sorting of texts as people expect it, by a library that knows Unicode and the locale.
///
/// ASCII, where it means the same everywhere in English, is answered here, some ten times faster and with the same
/// results.
package struct StandardText {
  /// Whether a text holds another, without regard to case and diacritics; Foundation's `localizedStandardContains`.
  package let contains: (_ text: String, _ other: String) -> Bool
  /// The order of two texts, below zero, 0 or above; Foundation's `localizedStandardCompare`.
  package let compare: (_ text: String, _ other: String) -> Int
  /// Whether the library takes ASCII as English does. It does not in languages such as Turkish, where `I` is no `i`, or
  /// Danish, where `aa` comes last.
  package let isEnglish: Bool

  package init(
    isEnglish: Bool, contains: @escaping (_ text: String, _ other: String) -> Bool,
    compare: @escaping (_ text: String, _ other: String) -> Int
  ) {
    self.isEnglish = isEnglish
    self.contains = contains
    self.compare = compare
  }

  func contains(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    // Foundation reads a NUL in its own way.
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

  /// Nothing holds the empty text, as Foundation has it.
  private static func containsASCII(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let first = other.first.map(lowercase), text.count >= other.count else { return false }
    for start in 0...(text.count - other.count) where lowercase(text[start]) == first {
      var place = 1
      while place < other.count, lowercase(text[start + place]) == lowercase(other[place]) { place += 1 }
      if place == other.count { return true }
    }
    return false
  }

  /// Printable ASCII in the order of the Unicode Collation Algorithm's default table in CLDR's variant; letters of both
  /// cases share a place. Source: Unicode Technical Standard 35, part 5. 0 stands for everything else.
  private static let ranks: [UInt8] = {
    var ranks = [UInt8](repeating: 0, count: 256)
    for (place, byte) in " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz".utf8.enumerated() {
      ranks[Int(byte)] = UInt8(place + 1)
    }
    for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { ranks[Int(byte)] = ranks[Int(byte | 0x20)] }
    return ranks
  }()

  /// Letters by the alphabet, numbers by their value, small letters before equal capitals; nil where something else
  /// stands before or next to what decides, as accents do, or a number that is written with zeros before it or with
  /// more than 17 digits.
  private static func compareASCII(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int? {
    ranks.withUnsafeBufferPointer { ranks in
      func isPlain(_ text: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        place >= text.count || ranks[Int(text[place])] > 0
      }
      func order(_ isBefore: Bool, _ left: Int, _ right: Int) -> Int? {
        isPlain(text, left) && isPlain(other, right) ? (isBefore ? -1 : 1) : nil
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

  private static func number(_ text: UnsafeRawBufferPointer, _ place: inout Int) -> Int? {
    let start = place
    var number = 0
    while place < text.count, isDigit(text[place]), place - start < 18 {
      number = number * 10 + Int(text[place] &- 0x30)
      place += 1
    }
    guard place - start < 18, place - start == 1 || text[start] != 0x30 else { return nil }
    return number
  }
}

extension PersistentStore {
  /// Makes `standard_contains(text, other)` and `COLLATE standard` known to the statements of `select`.
  package func use(_ text: StandardText) throws {
    try Self.translating(path) {
      try connection.define(function: "standard_contains") { text.contains($0, $1) }
      try connection.define(collation: "standard") { text.compare($0, $1) }
    }
  }
}
