internal import IndexDefinitions
internal import SearchIndex

extension QueryCompiler {
  // MARK: Words

  /// One word as typed: its stem where it has one; several tokens, as in `node.js`, are a phrase; its other forms and
  /// its synonyms too. nil where there is nothing to search for.
  ///
  /// - Parameter languages: What the words that are searched are stemmed by; nil is the index's own.
  mutating func word(_ text: String, prefix: [UInt8], languages: Set<String?>? = nil) throws -> Query? {
    noteLostValue(text)
    let languages = (languages ?? index.fields.languages).sorted { ($0 ?? "") < ($1 ?? "") }
    guard let query = try forms(of: text, prefix, languages) else { return nil }
    if mayApproximate,
      let replacement = replacements?.first(where: { $0.key.typed == text && $0.key.prefix == prefix })?.value
    {
      corrections.append(Correction(typed: text, replacement: replacement))
      return try forms(of: replacement, prefix, languages)
    }
    try noteUnknown(text, query, prefix)
    return query
  }

  /// Says that a field has no value, as where a shell took `>2024` of `year:>2024` for the name of a file.
  private mutating func noteLostValue(_ text: String) {
    guard text.hasSuffix(":"), case let name = String(text.dropLast()),
      index.fields[name] != nil || Self.ownNames.contains(name.lowercased())
    else { return }
    let note = "\(text) has no value and is searched as a word; in a shell, quote what holds > < ( ) or *"
    if !notes.contains(note) { notes.append(note) }
  }

  private mutating func forms(of text: String, _ prefix: [UInt8], _ languages: [String?]) throws -> Query? {
    var found: [Query] = []
    func add(_ query: Query) { if !found.contains(query) { found.append(query) } }
    let folded = folder.fold(text)
    let tokens = try index.reader.tokens(of: folded)
    guard !tokens.isEmpty else { return nil }
    if tokens.count > 1 {
      add(try adjacent(tokens, prefix: prefix))
      if prefix.isEmpty { loose += pairs(of: tokens) }
    } else {
      for term in try terms(of: folded, prefix, languages) { add(.term(term)) }
    }
    let forms = WordForms(of: folded)
    if let whole = forms.whole {
      for term in try terms(of: String(decoding: whole, as: UTF8.self), prefix, languages) { add(.term(term)) }
    } else if forms.humps.count == 1, let hump = forms.humps.first {
      let terms = try hump.flatMap { try index.reader.tokens(of: String(decoding: $0, as: UTF8.self)) }
        .map { prefix + $0.raw }
      // Only another way to find it: where that exceeds a bound, a search leaves it out without a note.
      if let query = try placed(terms, prefix: prefix, { .phrase($0) }) {
        add(query)
      } else if !mayApproximate {
        _ = try anywhere(terms)
      }
    }
    for other in umlauts(text, folded, languages) {
      for term in try terms(of: other, prefix, languages) { add(.term(term)) }
    }
    for other in try synonyms(of: tokens) {
      for query in try queries(ofSynonym: other, prefix, languages) { add(query) }
    }
    return found.count == 1 ? found[0] : .synonyms(found)
  }

  /// The terms of one token in each language; none where the text is several tokens.
  private func terms(of folded: String, _ prefix: [UInt8], _ languages: [String?]) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    for language in languages {
      let tokens = try index.reader.tokens(of: folded, language: language)
      guard tokens.count == 1, let token = tokens.first else { continue }
      let term = token.stemmed.map { [UInt8(ascii: "Z")] + prefix + $0 } ?? prefix + token.raw
      if !found.contains(term) { found.append(term) }
    }
    return found
  }

  /// Pairs of letters of a text in a script without blanks, which find parts of it.
  private func pairs(of tokens: [IndexReader.Token]) -> [Query] {
    func isUnspaced(_ token: IndexReader.Token) -> Bool { (token.raw.first ?? 0) >= 0xe2 && token.raw.count <= 4 }
    return zip(tokens, tokens.dropFirst()).filter { isUnspaced($0) && isUnspaced($1) }.map { .term($0.raw + $1.raw) }
  }

  /// A word with umlauts as it is written without them; in German the other way, too.
  private mutating func umlauts(_ text: String, _ folded: String, _ languages: [String?]) -> [String] {
    let pairs = [("\u{e4}", "ae", "a"), ("\u{f6}", "oe", "o"), ("\u{fc}", "ue", "u")]
    let lowered = text.lowercased()
    var written = lowered
    for (umlaut, letters, _) in pairs { written = written.replacing(umlaut, with: letters) }
    if written != lowered { return [folder.fold(written)] }
    guard languages.contains(where: { ($0 ?? index.definition.language).hasPrefix("german") }) else { return [] }
    var bare = folded.lowercased()
    for (_, letters, letter) in pairs { bare = bare.replacing(letters, with: letter) }
    return bare == folded.lowercased() ? [] : [bare]
  }

  /// The ways to find a synonym: as words side by side, or as one word in each language.
  mutating func queries(ofSynonym text: String, _ prefix: [UInt8], _ languages: [String?]) throws -> [Query] {
    let folded = folder.fold(text)
    let tokens = try index.reader.tokens(of: folded)
    if tokens.count > 1 { return [try adjacent(tokens, prefix: prefix)] }
    return try terms(of: folded, prefix, languages).map(Query.term)
  }

  // MARK: Several words

  mutating func phrase(_ text: String, prefix: [UInt8]) throws -> Query {
    let tokens = try index.reader.tokens(of: folder.fold(text))
    switch tokens.count {
    case 0: return .nothing
    case 1: return .term(prefix + tokens[0].raw)
    default: return try adjacent(tokens, prefix: prefix)
    }
  }

  /// The tokens as a phrase; beyond what a query may compare, all of them anywhere.
  private mutating func adjacent(_ tokens: [IndexReader.Token], prefix: [UInt8]) throws -> Query {
    let terms = tokens.map { prefix + $0.raw }
    return try placed(terms, prefix: prefix) { .phrase($0) } ?? anywhere(terms)
  }

  /// Words in any order with `distance` others between them at most, less one.
  mutating func near(_ words: [String], _ distance: Int) throws -> Query {
    let tokens = try words.flatMap { try index.reader.tokens(of: folder.fold($0)) }
    guard tokens.count > 1 else { return tokens.first.map { .term($0.raw) } ?? .nothing }
    let terms = tokens.map(\.raw)
    return try placed(terms, prefix: []) { .near($0, window: distance + $0.count - 1) } ?? anywhere(terms)
  }

  /// Terms whose positions count, as `query` says; nil where comparing them exceeds the bounds of a query.
  private mutating func placed(
    _ terms: [[UInt8]], prefix: [UInt8], _ query: ([[UInt8]]) -> Query
  ) throws -> Query? {
    let prefixes = prefix.isEmpty ? index.fields.textPrefixes : [[]]
    let inFields = prefixes.map { prefix in terms.map { prefix + $0 } }
    guard terms.count <= phraseWordsLeft, try spend(comparing: inFields) else { return nil }
    phraseWordsLeft -= terms.count
    guard prefix.isEmpty else { return query(terms) }
    // Words without a field have weights, words of a field have positions: the former rank, the latter decide.
    return .filter(.and(Self.distinct(terms)), by: .or(inFields.map(query)))
  }

  /// All of the terms, wherever they stand: what is left of a phrase that exceeds the bounds.
  private mutating func anywhere(_ terms: [[UInt8]]) throws -> Query {
    try leaveOut(
      "the query has phrases of more than \(Self.phraseWords) words together, or of words that are too frequent",
      searched: "the words of those that follow are searched anywhere", place: nil, hint: "search for fewer phrases")
    return .and(Self.distinct(terms))
  }

  private static func distinct(_ terms: [[UInt8]]) -> [Query] {
    Array(Set(terms)).sorted { $0.lexicographicallyPrecedes($1) }.prefix(phraseWords).map(Query.term)
  }

  /// Takes what it costs to compare the positions of these words; false where that is too much. The first phrase is
  /// always compared.
  private mutating func spend(comparing phrases: [[[UInt8]]]) throws -> Bool {
    let cost = try phrases.reduce(0) { cost, terms in
      try cost + (terms.map { try index.reader.frequency(of: $0) }.min() ?? 0)
    }
    guard let left = comparisonsLeft else {
      comparisonsLeft = max(0, Self.mostComparisons - cost)
      return true
    }
    guard cost <= left else { return false }
    comparisonsLeft = left - cost
    return true
  }
}
