// SPDX-License-Identifier: MIT

/// The languages that are recognised, by their most frequent words and by their letters.
///
/// A set of languages is a number with one bit for each language.
enum KnownLanguages {
  typealias Languages = UInt32

  /// The names of Xapian's stemmers, in the order of their bits. The last one stands for all languages without a stemmer,
  /// such as Polish, whose frequent words would be evidence of other languages.
  static let names = ["english"] + lines.map(\.name)
  /// The language of `names` without a stemmer.
  static let unstemmed = names.count - 1

  /// Each line of `languages.txt`: a language and its function words, with accents and in lower case.
  private static let lines: [(name: String, words: ArraySlice<UInt8>)] =
    PackageResources.languages_txt.split(separator: UInt8(ascii: "\n")).map { line in
      let name = line.prefix { $0 != UInt8(ascii: " ") }
      return (String(decoding: name, as: UTF8.self), line.dropFirst(name.count))
    }

  /// The function words of a language with a stemmer, with accents; empty if it is not known.
  static func words(of language: String) -> [String] {
    names.dropLast().firstIndex(of: language).map(words) ?? []
  }

  private static func words(_ number: Int) -> [String] {
    guard number > 0 else { return DefaultRules.stopWords }
    return lines[number - 1].words.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The languages that have a function word, by its hash.
  static let byWord: [UInt64: Languages] = {
    var found: [UInt64: Languages] = [:]
    for bit in names.indices {
      for word in words(bit) {
        let hash = word.unicodeScalars.reduce(FNV1a.start) { FNV1a.adding($1.value, to: $0) }
        found[hash, default: 0] |= 1 << bit
      }
    }
    return found
  }()

  /// The set of some languages; names that are not known are left out.
  static func set(of languages: [String]) -> Languages {
    languages.reduce(0) { set, name in set | (names.firstIndex(of: name).map { 1 << $0 } ?? 0) }
  }

  // MARK: Letters

  /// The languages of the words with a letter; nil if the letter says nothing. The letter is in lower case.
  static func languages(withLetter letter: UInt32) -> Languages? {
    switch letter {
    case 0x430...0x44f, 0x451: cyrillic
    // Letters of other Slavic languages and of Central Asia; of Persian and Urdu.
    case 0x400...0x52f, 0x679, 0x67e, 0x686, 0x688, 0x698, 0x6a9, 0x6af, 0x6cc, 0x6d2: 1 << unstemmed
    case 0x621...0x64a: arabic
    default: latin[letter]
    }
  }

  private static let cyrillic = set(of: ["russian"])
  private static let arabic = set(of: ["arabic"])

  /// Whether a letter is of a script whose words are evidence by themselves.
  static func isScript(_ letter: UInt32) -> Bool {
    (0x400...0x52f).contains(letter) || (0x620...0x6ff).contains(letter)
  }

  private static let latin: [UInt32: Languages] = {
    let letters = [
      ("ä", "german swedish finnish none"), ("ö", "german swedish finnish turkish hungarian none"),
      ("ü", "german turkish hungarian catalan none"), ("ß", "german"),
      ("é", "french spanish portuguese italian hungarian catalan none"), ("è", "french italian catalan"),
      ("ê", "french portuguese none"), ("à", "french italian catalan portuguese"), ("â", "french portuguese romanian"),
      ("î", "french romanian"), ("û", "french"), ("ô", "french portuguese none"), ("ë", "french dutch none"),
      ("ï", "french dutch catalan"), ("ç", "french portuguese turkish catalan"), ("œ", "french"),
      ("ù", "french italian"),
      ("ñ", "spanish"), ("á", "spanish portuguese hungarian none"), ("í", "spanish portuguese hungarian catalan none"),
      ("ó", "spanish portuguese hungarian catalan none"), ("ú", "spanish portuguese hungarian catalan none"),
      ("ã", "portuguese"), ("õ", "portuguese none"), ("ò", "italian catalan"), ("ì", "italian"),
      ("å", "swedish danish norwegian"), ("ø", "danish norwegian"), ("æ", "danish norwegian"), ("ğ", "turkish"),
      ("ş", "turkish romanian"), ("ı", "turkish"), ("ő", "hungarian"), ("ű", "hungarian"), ("ă", "romanian"),
      ("ț", "romanian"), ("ţ", "romanian"), ("ș", "romanian"),
    ]
    var found: [UInt32: Languages] = [:]
    for (letter, languages) in letters {
      found[letter.unicodeScalars.first!.value] = set(of: languages.split(separator: " ").map(String.init))
    }
    for letter in "ąćęłńśźżřěůčšžďťľĺŕňýđėįų".unicodeScalars { found[letter.value] = 1 << unstemmed }
    return found
  }()
}
