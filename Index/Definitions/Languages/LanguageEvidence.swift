// SPDX-License-Identifier: MIT

// The standard library normalises strings but offers the composed form to its own libraries only.
@_spi(_Unicode) internal import Swift

/// What the words of texts say about their language: how many are function words of which languages, or have letters
/// that only some languages use.
struct LanguageEvidence {
  typealias Languages = KnownLanguages.Languages

  /// Number of bytes of a text that are read.
  static let longestText = 1_024
  /// The weight of a function word, and of a word in the script of a language.
  static let word = 2
  /// The weight of a word with a special letter, which names and loanwords have too.
  private static let letter = 1

  private(set) var words = 0
  /// The sum of the weights, by the languages that a word may be of.
  private var weights: [Languages: Int] = [:]

  /// - Parameter text: UTF-8. Only its first 1,024 bytes are read.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    let kept = text.prefix(Self.longestText)
    let string = String(decoding: kept, as: UTF8.self)
    // Most texts are composed already: combining accents begin with these bytes.
    if kept.contains(where: { $0 == 0xcc || $0 == 0xcd }) {
      var composed = String.UnicodeScalarView()
      composed.append(contentsOf: string._nfc)
      add(composed)
    } else {
      add(string.unicodeScalars)
    }
  }

  private mutating func add(_ scalars: String.UnicodeScalarView) {
    var (hash, length) = (FNV1a.start, 0)
    var isASCII = true
    var languages: Languages?
    var isScript = false
    func end(_ evidence: inout LanguageEvidence) {
      if length > 0 {
        evidence.words += 1
        // Single Latin letters are initials and symbols more often than words.
        if let known = length == 1 && isASCII ? 0 : KnownLanguages.byWord[hash] {
          evidence.weights[known, default: 0] += Self.word
        } else if let languages, languages != 0 {
          evidence.weights[languages, default: 0] += isScript ? Self.word : Self.letter
        }
      }
      (hash, length, isASCII, languages, isScript) = (FNV1a.start, 0, true, nil, false)
    }
    for scalar in scalars {
      guard let letter = Self.lowered(scalar) else {
        end(&self)
        if Self.isUnspaced(scalar) { words += 1 }
        continue
      }
      hash = FNV1a.adding(letter, to: hash)
      length += 1
      guard letter >= 0x80 else { continue }
      isASCII = false
      if let own = KnownLanguages.languages(withLetter: letter) {
        languages = languages.map { $0 & own } ?? own
        if KnownLanguages.isScript(letter) { isScript = true }
      }
    }
    end(&self)
  }

  mutating func add(_ other: LanguageEvidence) {
    words += other.words
    weights.merge(other.weights, uniquingKeysWith: +)
  }

  /// The letter in lower case; nil if it does not belong to a word. Only scripts with known languages are lowered.
  private static func lowered(_ scalar: Unicode.Scalar) -> UInt32? {
    let value = scalar.value
    switch value {
    case 0x61...0x7a: return value
    case 0x41...0x5a: return value + 0x20
    case 0..<0xc0, 0xd7, 0xf7, 0x2000...0x2bff, 0xfe00...0xfe0f, 0xff00...0xff0f: return nil
    case 0xc0...0xde, 0x410...0x42f: return value + 0x20
    case 0x130: return 0x69
    case 0x178: return 0xff
    case 0x100...0x137, 0x14a...0x177, 0x218...0x21b: return value | 1
    case 0x139...0x148, 0x179...0x17e: return value.isMultiple(of: 2) ? value : value + 1
    case 0x400...0x40f: return value + 0x50
    case 0x60c, 0x61b, 0x61f, 0x64b...0x65f, 0x66a...0x66d, 0x6d4: return nil
    default: return isUnspaced(scalar) ? nil : value
    }
  }

  /// Letters of scripts that put no blanks between words. Each of them counts as a word.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    (0x2e80...0x9fff).contains(scalar.value) || (0xac00...0xd7af).contains(scalar.value) || scalar.value >= 0x20000
  }

  // MARK: Conclusions

  /// The weight of the words that may be of a language.
  func weight(of language: Int) -> Int {
    weights.reduce(0) { $1.key & (1 << language) != 0 ? $0 + $1.value : $0 }
  }

  /// The language of the words, if they are clearly of one language and not of any of the others.
  ///
  /// - Parameters:
  ///   - candidates: The possible languages.
  ///   - least: The minimum weight of the words of the language; three quarters of it must speak against each other one.
  func language(among candidates: Languages, atLeast least: Int) -> Int? {
    guard !weights.isEmpty else { return nil }
    var totals = [Int](repeating: 0, count: KnownLanguages.names.count)
    for (languages, weight) in weights {
      var rest = languages & candidates
      while rest != 0 {
        totals[rest.trailingZeroBitCount] += weight
        rest &= rest - 1
      }
    }
    guard let best = totals.indices.max(by: { totals[$0] < totals[$1] }), totals[best] >= least else { return nil }
    for other in totals.indices where other != best && totals[other] > 0 {
      var (own, against) = (0, 0)
      for (languages, weight) in weights {
        switch (languages & (1 << best) != 0, languages & (1 << other) != 0) {
        case (true, false): own += weight
        case (false, true): against += weight
        default: break
        }
      }
      guard own >= 2 * against, own * 4 >= least * 3 else { return nil }
    }
    return best
  }
}
