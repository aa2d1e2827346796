// SPDX-License-Identifier: MIT

/// The second pass of `QueryCompiler`: replaces words that occur nowhere by the closest ones of the index.
struct SpellingCorrector {
  /// Maximum number of words that are corrected, because each is compared with many words of the index.
  private static let mostCorrections = 4

  let view: SearchView

  /// A word that occurs nowhere, as typed and as one token.
  private struct UnknownWord: Hashable {
    let typed: String
    let token: [UInt8]
    let prefix: [UInt8]

    init?(_ word: ResolvedWord) {
      guard let token = word.token else { return nil }
      (typed, self.token, prefix) = (word.typed, token, word.prefix)
    }
  }

  /// The words of a query that occur nowhere, in their order.
  func unknownWords(of resolved: ResolvedQuery) throws -> [ResolvedWord] {
    var unknown: [ResolvedWord] = []
    _ = try resolved.root.mapWords { word in
      if !word.variants.isEmpty, try !word.occurs(in: view) { unknown.append(word) }
      return word
    }
    return unknown
  }

  /// - Parameter unknown: The words that occur nowhere.
  /// - Returns: The query with the words replaced, and the corrections in the order of the query.
  func correct(
    _ resolved: ResolvedQuery, _ unknown: [ResolvedWord]
  ) throws -> (query: ResolvedQuery, corrections: [Correction]) {
    var words: [UnknownWord] = []
    for case let word? in unknown.map(UnknownWord.init) where !words.contains(word) { words.append(word) }
    let replacements = try closest(to: Array(words.prefix(Self.mostCorrections)))
    guard !replacements.isEmpty else { return (resolved, []) }
    var corrections: [Correction] = []
    let root = try resolved.root.mapWords { word in
      guard let replacement = UnknownWord(word).flatMap({ replacements[$0] }) else { return word }
      corrections.append(Correction(typed: word.typed, replacement: replacement))
      var word = word
      word.variants = try view.variants(of: replacement, prefix: word.prefix, languages: word.languages)
      return word
    }
    return (ResolvedQuery(root: root, isExplicit: resolved.isExplicit), corrections)
  }

  /// The closest words of the index. Words of the same field are searched together.
  private func closest(to unknown: [UnknownWord]) throws -> [UnknownWord: String] {
    var found: [UnknownWord: String] = [:]
    for (prefix, words) in Dictionary(grouping: unknown, by: \.prefix) {
      let corrector = WordCorrector(view: view, prefix: prefix)
      for (word, closest) in zip(words, try corrector.closest(to: words.map(\.token))) { found[word] = closest }
    }
    return found
  }
}
