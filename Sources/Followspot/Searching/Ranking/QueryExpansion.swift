// SPDX-License-Identifier: MIT

internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Pseudo-relevance feedback: the best hits are assumed to be relevant.
struct QueryExpansion {
  private static let bestHits = 5
  private static let mostWords = 8

  let view: SearchView

  /// Adds the words that are typical of the best hits to the words of a plan. Any of all these words matches then.
  func add(to plan: inout QueryPlan) throws {
    guard !plan.isExplicit, !plan.words.isEmpty else { return }
    var words = try expansion(of: plan.all)
    if words.isEmpty { words = try expansion(of: plan.any) }
    guard !words.isEmpty else { return }
    let weight = try RankingWeights.current().expansion
    plan.words = [.or(plan.words + plan.loose + [.scaled(.or(words.map(\.query)), by: weight)])]
    plan.loose = []
    plan.notes.append("expanded by the stems of the best hits: " + words.map(\.stem).joined(separator: " "))
  }

  /// A word that is added.
  private struct TypicalWord {
    let stem: String
    let query: Query
    /// How well it distinguishes the best hits from other documents; see `value`.
    let value: Double
  }

  /// The words to add, the most typical ones first, without stop words and the words of the query.
  private func expansion(of query: Query) throws -> [TypicalWord] {
    let typed = Set(QueryTerms(query).terms.map { String(decoding: $0.text, as: UTF8.self) })
    let stopped = try Set(view.stopWords.flatMap(stems)).union(typed)
    let best = try view.hits(of: query, limit: Self.bestHits)
    var hits: [String: (count: Int, word: String)] = [:]
    for hit in best.hits {
      let words = try IndexedTerm.writtenWords(of: view.lookupTerm(identity: hit.identity), in: view.reader)
      var own: [String: String] = [:]
      for word in Set(words) { for stem in try stems(word) where !stopped.contains(stem) { own[stem] = word } }
      for (stem, word) in own { hits[stem] = ((hits[stem]?.count ?? 0) + 1, word) }
    }
    let documents = try view.reader.documentCount()
    return try hits.map { stem, found in
      let terms = try view.terms(of: found.word, [], FieldTable.sorted(view.fields.languages))
      let matches = min(documents, try terms.reduce(0) { try $0 + view.reader.frequency(of: $1) })
      return TypicalWord(
        stem: stem, query: .synonyms(terms.map(Query.term)),
        value: Self.value(hits: found.count, of: best.hits.count, matches: matches, of: documents))
    }.filter { $0.value > 0 }.sorted { ($1.value, $0.stem) < ($0.value, $1.stem) }.prefix(Self.mostWords).map(\.self)
  }

  /// The relevance weight of Robertson and Sparck Jones, multiplied by the number of hits with the word: "On term selection
  /// for query expansion", 1990.
  private static func value(hits: Int, of allHits: Int, matches: Int, of documents: Int) -> Double {
    let (r, R, n, N) = (Double(hits), Double(allHits), Double(max(hits, matches)), Double(documents))
    let odds = (r + 0.5) * (max(0, N - n - R + r) + 0.5) / ((R - r + 0.5) * (n - r + 0.5))
    return r * log2(odds)
  }

  /// The stems of a word in the languages of the fields.
  private func stems(_ word: String) throws -> Set<String> {
    try view.fields.languages.reduce(into: []) { stems, language in
      for token in try view.reader.tokens(of: word, language: language) {
        stems.insert(String(decoding: token.stemmed ?? token.raw, as: UTF8.self))
      }
    }
  }
}
