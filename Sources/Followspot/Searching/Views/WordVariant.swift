// SPDX-License-Identifier: MIT

internal import SearchIndex

/// One way to find a word of a query.
enum WordVariant {
  /// The word, its stem, or another spelling as one term of a field.
  case term([UInt8])
  /// Adjacent words, such as `node.js` or a synonym; without the prefix of a field.
  case phrase([[UInt8]])
  /// The words inside a compound such as `ToyStory`, adjacent. This is only another way to find it, so a search omits
  /// it without a note if it exceeds the budget.
  case subwords([[UInt8]])
}

extension SearchView {
  /// The ways to find one word as typed: its stem, or a phrase if it has several tokens, such as `node.js`. Its other
  /// forms and its synonyms are added. Empty if the text has no letters, digits or symbols.
  func variants(of text: String, prefix: [UInt8], languages: [String?]) throws -> [WordVariant] {
    let folded = folded(text)
    let tokens = try reader.tokens(of: folded)
    guard !tokens.isEmpty else { return [] }
    var found: [WordVariant] = []
    func add(_ text: String) throws { found += try terms(of: text, prefix, languages).map(WordVariant.term) }
    if tokens.count > 1 { found.append(.phrase(tokens.map(\.raw))) } else { try add(folded) }
    let forms = WordForms(of: folded)
    if let whole = forms.whole {
      try add(String(decoding: whole, as: UTF8.self))
    } else if forms.subwords.count == 1, let subwords = forms.subwords.first {
      found.append(
        .subwords(try subwords.flatMap { try reader.tokens(of: String(decoding: $0, as: UTF8.self)).map(\.raw) }))
    }
    for other in umlauts(text, folded, languages) { try add(other) }
    for other in try synonyms(of: tokens) { found += try variants(ofSynonym: other, prefix, languages) }
    return found
  }

  /// The ways to find a synonym: as adjacent words, or as one word in each language.
  func variants(ofSynonym text: String, _ prefix: [UInt8], _ languages: [String?]) throws -> [WordVariant] {
    let folded = folded(text)
    let tokens = try reader.tokens(of: folded)
    if tokens.count > 1 { return [.phrase(tokens.map(\.raw))] }
    return try terms(of: folded, prefix, languages).map(WordVariant.term)
  }

  /// The terms of one token in one field, or in all, by the languages of the field; empty if the text is several tokens.
  func terms(of folded: String, _ prefix: [UInt8], _ languages: [String?]) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    for language in languages {
      let tokens = try reader.tokens(of: folded, language: language)
      guard tokens.count == 1, let token = tokens.first else { continue }
      let prefixes =
        prefix.isEmpty
        ? fields.textFields.filter { $0.languages.contains(language) }.map(\.textPrefix)
        : [prefix]
      for prefix in prefixes {
        for term in token.terms(prefix: prefix) where !found.contains(term) { found.append(term) }
      }
    }
    return found
  }

  /// The spelling of a word with `ae`, `oe` and `ue` instead of umlauts. In German, also the spelling with umlauts
  /// instead of these letters.
  private func umlauts(_ text: String, _ folded: String, _ languages: [String?]) -> [String] {
    let pairs = [("\u{e4}", "ae", "a"), ("\u{f6}", "oe", "o"), ("\u{fc}", "ue", "u")]
    let lowered = text.lowercased()
    var written = lowered
    for (umlaut, letters, _) in pairs { written = written.replacing(umlaut, with: letters) }
    if written != lowered { return [self.folded(written)] }
    guard languages.contains(where: { ($0 ?? definition.language).hasPrefix("german") }) else { return [] }
    var bare = folded.lowercased()
    for (_, letters, letter) in pairs { bare = bare.replacing(letters, with: letter) }
    return bare == folded.lowercased() ? [] : [bare]
  }
}

extension FieldTable {
  static func sorted(_ languages: Set<String?>) -> [String?] { languages.sorted { ($0 ?? "") < ($1 ?? "") } }
}
