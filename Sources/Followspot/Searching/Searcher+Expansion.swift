internal import IndexDefinitions
internal import SearchIndex

/// Pseudo-relevance feedback: the best hits are assumed to be relevant.
extension Searcher {
  private static let bestHits = 5
  private static let mostWords = 8
  /// The weight of a word of the hits, relative to a typed word.
  private static let weight = 0.25

  /// Adds the words that are typical of the best hits to the words of a plan. Any of all these words matches then.
  func expand(_ plan: inout QueryPlan) throws {
    guard !plan.isExplicit, !plan.words.isEmpty else { return }
    var terms = try expansion(of: plan.all)
    if terms.isEmpty { terms = try expansion(of: plan.any) }
    guard !terms.isEmpty else { return }
    plan.words = [.or(plan.words + plan.loose + [.scaled(.or(terms.map(Query.term)), by: Self.weight)])]
    plan.loose = []
    let words = terms.map { String(decoding: $0.dropFirst(), as: UTF8.self) }
    plan.notes.append("expanded by the stems of the best hits: " + words.joined(separator: " "))
  }

  /// The terms to add, without stop words.
  private func expansion(of query: Query) throws -> [[UInt8]] {
    let stopWords = index.definition.stopWords
    let stems = try index.reader.tokens(of: stopWords.joined(separator: " ")).map { $0.stemmed ?? $0.raw }
    let stopped = Set(stems)
    let written = try writtenStems(of: query)
    return Array(
      try index.reader.expansion(of: query, top: Self.bestHits, most: Self.mostWords * 4).filter {
        let stem = Array($0.dropFirst())
        return !stopped.contains(stem) && written.contains(stem)
      }.prefix(Self.mostWords))
  }

  /// The stems of the words in the texts of the best hits, without those of joined compounds.
  private func writtenStems(of query: Query) throws -> Set<[UInt8]> {
    let best = try index.reader.search(
      query, offset: 0, limit: Self.bestHits, exactUpTo: 1, identitySlot: DocumentLayout.Slot.identity)
    let words = try best.hits.flatMap { hit in
      try IndexedTerm.writtenWords(of: lookupTerm(identity: hit.identity), in: index.reader)
    }
    let text = Set(words).joined(separator: " ")
    return try index.fields.languages.reduce(into: []) { stems, language in
      for token in try index.reader.tokens(of: text, language: language) { stems.insert(token.stemmed ?? token.raw) }
    }
  }
}
