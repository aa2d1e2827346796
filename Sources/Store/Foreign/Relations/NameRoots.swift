// SPDX-License-Identifier: MIT

internal import Base

/// The words of the name of a table or a column, in a form in which singular and plural are equal.
struct NameRoots: Equatable {
  /// In lower case, and in the singular of English. Digits are words of their own.
  let words: [String]
  /// The words without accents and without the endings of a plural.
  let roots: [String]

  init(_ name: String) { self.init(words: Self.split(name).map(NameWords.singular)) }

  private init(words: some Collection<String>) {
    self.words = Array(words)
    roots = words.map(Self.root)
  }

  // MARK: Keys

  /// Words that say that a column holds a key.
  static let keyWords: Set<String> = [
    "id", "code", "cod", "key", "nr", "no", "num", "number", "nummer", "fk", "ref", "pk", "uid", "uuid", "guid", "nbr",
  ]
  private static let leadingKeyWords: Set<String> = ["id", "fk", "cod", "code", "nr"]
  /// Endings of words that say the same.
  private static let keyEndings = [
    "number", "nummer", "kennung", "code", "guid", "uuid", "key", "id", "nr", "no", "fk",
  ]
  private static let emptyWords = keyWords.union(["name", "title", "type", "date", "value", "index", "idx", "rowid"])

  /// Whether a word says more than that the column holds a key or a name.
  var isMeaningful: Bool {
    words.contains { $0.count > 1 && !Self.emptyWords.contains($0) && $0.first?.isNumber == false }
  }

  /// Whether the last or the first word says that the column holds a key.
  var namesKey: Bool {
    guard let last = words.last else { return false }
    return bare.words.count < words.count || Self.keyWords.contains(last)
      || ["number", "nummer", "code"].contains(where: last.hasSuffix)
  }

  /// Without words that say that the column holds a key.
  var bare: NameRoots {
    var words = words[...]
    while words.count > 1, let last = words.last, Self.keyWords.contains(last) { words.removeLast() }
    while words.count > 1, let first = words.first, Self.leadingKeyWords.contains(first) { words.removeFirst() }
    return NameRoots(words: words)
  }

  /// Without a number at the end, such as that of `country_1`.
  var unnumbered: NameRoots {
    var words = words[...]
    while words.count > 1, words.last?.first?.isNumber == true { words.removeLast() }
    return NameRoots(words: words)
  }

  /// The roots of the whole name without an ending that names a key: `book` for `bookid`.
  var joinedStems: [String] {
    let joined = words.joined()
    return Self.keyEndings.compactMap { ending in
      guard joined.hasSuffix(ending), joined.count >= ending.count + 3 else { return nil }
      return Self.root(NameWords.singular(String(joined.dropLast(ending.count))))
    }
  }

  var joinedRoot: String { Self.root(words.joined()) }

  // MARK: Comparing

  static func == (name: NameRoots, other: NameRoots) -> Bool { name.roots == other.roots }

  /// Whether the other name is the last part of this longer one: its last words, or the last part of its last word, as in
  /// compounds of German.
  func ends(with other: NameRoots) -> Bool {
    if roots.count > other.roots.count, Array(roots.suffix(other.roots.count)) == other.roots { return true }
    guard other.roots.count == 1, let last = roots.last, let end = other.roots.first, other.words[0].count >= 5 else {
      return false
    }
    return last.count > end.count && last.hasSuffix(end)
  }

  // MARK: Words

  /// The words, with numbers apart from letters.
  private static func split(_ name: String) -> [String] {
    var words: [String] = []
    for word in NameWords.of(name) {
      var part = ""
      for letter in word {
        if let last = part.last, last.isNumber != letter.isNumber {
          words.append(part)
          part = ""
        }
        part.append(letter)
      }
      words.append(part)
    }
    return words
  }

  private static let pluralEndings = ["innen", "nen", "en", "er", "es", "n", "e", "s"]

  private static func root(_ word: String) -> String {
    let plain = String(word.flatMap { accents[$0] ?? String($0) })
    for ending in pluralEndings where plain.count >= ending.count + 4 && plain.hasSuffix(ending) {
      return String(plain.dropLast(ending.count))
    }
    return plain
  }

  private static let accents: [Character: String] = {
    var plain: [Character: String] = ["ß": "ss", "æ": "ae", "ø": "o", "œ": "oe"]
    for (letter, accented) in [
      ("a", "äàáâãå"), ("e", "èéêë"), ("i", "ìíîï"), ("o", "öòóôõ"), ("u", "üùúû"), ("n", "ñ"), ("c", "ç"),
    ] {
      for character in accented { plain[character] = letter }
    }
    return plain
  }()
}
