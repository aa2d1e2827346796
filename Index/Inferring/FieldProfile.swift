// SPDX-License-Identifier: MIT

internal import Base

/// Collects statistics of the values of one attribute, and infers their kind and their languages.
package struct FieldProfile {
  /// Minimum number of records for an inference.
  static let fewestRecords = 20
  /// Maximum mean length of items, such as names, in words.
  private static let longestItem = 6.0

  /// Maximum number of bytes of a value that are read.
  private static let longestText = 4_096

  private static let counter = WordCounter()

  let isList: Bool
  private var records = 0
  private var items = 0
  private var words = 0
  private var singleTokens = 0
  /// Number of single tokens with a digit, or with punctuation inside.
  private var codes = 0
  private var capitalized = 0
  private var sentences = 0
  private var characters = 0
  private var marked = 0
  private var lettered = 0
  private var written = 0
  private var coded = 0
  /// The number of occurrences of each value, by its hash.
  private var occurrences: [UInt64: Int] = [:]
  private var languageProfile = LanguageProfile()

  package init(isList: Bool) { self.isList = isList }

  package mutating func addRecord() { records += 1 }

  /// Adds one value, or one item of a list.
  package mutating func add(_ whole: UnsafeRawBufferPointer) {
    let text = UnsafeRawBufferPointer(rebasing: whole.prefix(Self.longestText))
    let shape = TextShape(text)
    guard shape.tokens > 0 else { return }
    items += 1
    words += Self.counter.words(in: text)
    if shape.tokens == 1 { singleTokens += 1 }
    if shape.tokens == 1, shape.isCode { codes += 1 }
    if shape.isCapitalized { capitalized += 1 }
    if shape.isSentence { sentences += 1 }
    characters += shape.characters
    if shape.isMarked { marked += 1 }
    if shape.hasLetters { lettered += 1 }
    if shape.isWrittenIdentifier { written += 1 }
    if shape.isCoded { coded += 1 }
    occurrences[shape.hash, default: 0] += 1
  }

  /// Adds one value, or one item of a list, to what the languages are inferred from.
  mutating func addLanguage(of text: UnsafeRawBufferPointer) { languageProfile.add(text) }

  /// The languages of the values, the main one first; empty if they are not clear.
  var languages: [String] { languageProfile.languages }

  /// The kind of the values; nil if there are too few records.
  ///
  /// - Parameter share: The share of all records that was added, 0 to 1.
  package func kind(share: Double) -> ValueKind? {
    guard records >= Self.fewestRecords, items > 0 else { return nil }
    func part(_ count: Int) -> Double { Double(count) / Double(items) }
    let meanWords = Double(words) / Double(items)
    let isCode = part(singleTokens) >= 0.9 && part(codes) >= 0.5
    guard isCode || (meanWords <= Self.longestItem && part(sentences) < 0.1) else { return .prose }
    let (distinct, repetition) = repetition(share: share)
    if !(isCode && isList) {
      let isFew = distinct <= 50 && repetition >= 4
      if isFew || (distinct <= 2_000 && repetition >= 20 && !(isList && meanWords >= 1.6)) { return .categories }
    }
    if isCode {
      if isList { return repetition >= 3 ? .references : .identifiers }
      return repetition >= 4 ? .categories : .identifiers
    }
    if part(capitalized) >= 0.7, isList || repetition >= 1.3 { return .names }
    return .prose
  }

  /// Whether the values name records; nil without records.
  ///
  /// - Parameter records: The number of all records that were read, with or without a value.
  package func title(among records: Int) -> TitleEvidence? {
    guard records > 0 else { return nil }
    func mean(_ count: Int) -> Double { items == 0 ? 0 : Double(count) / Double(items) }
    return TitleEvidence(
      filled: Double(lettered) / Double(records), distinct: mean(occurrences.count), characters: mean(characters),
      words: mean(words), marked: mean(marked), written: mean(written), coded: mean(coded))
  }

  /// Estimates the number of distinct values among all records, and how often each occurs on average. Chao's estimator
  /// uses the numbers of values that occur once and twice.
  ///
  /// Source: Chao, "Nonparametric estimation of the number of classes in a population" (1984).
  private func repetition(share: Double) -> (distinct: Double, repetition: Double) {
    let all = Double(items) / max(share, 1e-9)
    var distinct = Double(occurrences.count)
    if share < 1 {
      let once = Double(occurrences.values.count { $0 == 1 })
      let twice = Double(occurrences.values.count { $0 == 2 })
      distinct = min(all, distinct + once * once / (2 * twice + 1))
    }
    return (distinct, all / max(1, distinct))
  }
}

/// Features of one short text.
private struct TextShape {
  private(set) var tokens = 0
  /// Whether the text contains a digit, or punctuation inside a token.
  private(set) var isCode = false
  /// Whether at least three fifths of the tokens start with a capital or a digit.
  private(set) var isCapitalized = false
  /// Whether a sentence ends before the end of the text.
  private(set) var isSentence = false
  /// Whether it has marks or digits of codes: `@`, `/`, `\`, capitals without lower case, or four digits, unless it has
  /// three words or more, as in `1926 Gingoog Street`.
  private(set) var isMarked = false
  private(set) var hasLetters = false
  /// Whether it is an identifier as people write them: few letters, then digits, such as `INV-0003`.
  private(set) var isWrittenIdentifier = false
  /// Whether it is 16 hexadecimal digits or more, or starts with a date such as `2024-05-01`.
  private(set) var isCoded = false
  private(set) var characters = 0
  /// The FNV-1a hash of the text.
  private(set) var hash = FNV1a.start

  init(_ text: UnsafeRawBufferPointer) {
    var capitals = 0
    var before: UInt8 = UInt8(ascii: " ")
    var digits = 0
    var hasLongNumber = false
    var hasCapitals = false
    var hasOtherLetters = false
    for (offset, byte) in text.enumerated() {
      hash = FNV1a.adding(byte, to: hash)
      if byte & 0xc0 != 0x80 { characters += 1 }
      switch byte {
      case UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "\\"): isMarked = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        if digits == 4 { hasLongNumber = true }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hasCapitals = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...0xff: hasOtherLetters = true
      default: break
      }
      if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { digits = 0 }
      let isStart = before <= 0x20
      switch byte {
      case 0...0x20: if before == UInt8(ascii: ".") || before == UInt8(ascii: "!"), tokens > 3 { isSentence = true }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        isCode = true
        if isStart { capitals += 1 }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): if isStart { capitals += 1 }
      case 0xc3...0xdf:
        // These bytes start the capitals of Latin, Greek and Cyrillic. Other scripts are assumed to have none.
        let character = String(decoding: text[offset..<min(offset + 2, text.count)], as: UTF8.self).first
        if isStart, character?.isUppercase == true { capitals += 1 }
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"),
        UInt8(ascii: "@"), UInt8(ascii: "+"):
        if !isStart { isCode = true }
      default: break
      }
      if byte > 0x20, isStart { tokens += 1 }
      before = byte
    }
    isCapitalized = capitals * 5 >= tokens * 3
    hasLetters = hasCapitals || hasOtherLetters
    isCoded = text.count >= 16 && text.allSatisfy(\.isHexadecimalOrHyphen) || Self.startsWithDate(text)
    isWrittenIdentifier = tokens == 1 && text.count <= 16 && Self.isPrefixed(text)
    if hasCapitals && !hasOtherLetters || hasLongNumber && tokens < 3 { isMarked = true }
  }

  private static func startsWithDate(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count >= 10
      && text.prefix(10).enumerated().allSatisfy { place, byte in
        place == 4 || place == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// Whether a text is capitals, perhaps a sign, and two digits or more, perhaps with signs between them.
  private static func isPrefixed(_ text: UnsafeRawBufferPointer) -> Bool {
    func isSign(_ byte: UInt8) -> Bool { "-_/.#".utf8.contains(byte) }
    let letters = text.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let rest = text.dropFirst(letters.count).drop(while: isSign)
    guard (1...6).contains(letters.count), let last = rest.last, !isSign(last) else { return false }
    let digits = rest.filter { !isSign($0) }
    return digits.count >= 2 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
