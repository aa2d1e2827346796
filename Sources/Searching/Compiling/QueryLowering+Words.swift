// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import SearchIndex
internal import SearchViews

extension QueryLowering {
  /// The query of a word; nil if there is nothing to search for.
  mutating func lower(_ word: ResolvedWord) throws -> Query? {
    // `EPSG:4326` is a key as well as words.
    if let note = word.note, try records(named: [word.typed], years: []).isEmpty { budget.note(note) }
    var found: [Query] = []
    for variant in word.variants {
      if let query = try lower(variant, prefix: word.prefix), !found.contains(query) { found.append(query) }
    }
    let text = found.count > 1 ? .synonyms(found) : found.first
    guard !word.conditions.isEmpty else { return text }
    // A record of that kind or year matches, but the word does not raise its score.
    return .or((text.map { [$0] } ?? []) + [.scaled(.or(word.conditions), by: 0)])
  }

  /// The query of a variant; nil if it is omitted without a note.
  mutating func lower(_ variant: WordVariant, prefix: [UInt8]) throws -> Query? {
    switch variant {
    case .term(let term): return .term(term)
    case .phrase(let words): return try adjacent(words, prefix: prefix)
    case .subwords(let words):
      if let query = try positional(words, prefix: prefix, Query.phrase) { return query }
      if !budget.mayApproximate { _ = try anywhere(words, prefix: prefix) }
      return nil
    }
  }

  mutating func phrase(_ words: [[UInt8]], prefix: [UInt8]) throws -> Query {
    switch words.count {
    case 0: .nothing
    case 1: view.query(ofWord: words[0], prefix: prefix)
    default: try adjacent(words, prefix: prefix)
    }
  }

  /// The words as a phrase. If it exceeds the budget, all of the words at any positions.
  private mutating func adjacent(_ words: [[UInt8]], prefix: [UInt8]) throws -> Query {
    try positional(words, prefix: prefix, Query.phrase) ?? anywhere(words, prefix: prefix)
  }

  /// Words in any order, with at most `distance - 1` other words between them.
  mutating func near(_ words: [[UInt8]], _ distance: Int) throws -> Query {
    guard words.count > 1 else { return words.first.map { view.query(ofWord: $0, prefix: []) } ?? .nothing }
    return try positional(words, prefix: []) { .near($0, window: distance + $0.count - 1) }
      ?? anywhere(words, prefix: [])
  }

  /// The query that `query` makes to compare the positions of words; nil if the comparison exceeds the budget.
  private mutating func positional(
    _ words: [[UInt8]], prefix: [UInt8], _ query: ([[UInt8]]) -> Query
  ) throws -> Query? {
    let inFields = view.prefixes(prefix).map { prefix in words.map { prefix + $0 } }
    let reader = view.reader
    let isWithin = try budget.spendPhrase(words: words.count) {
      try inFields.reduce(0) { cost, terms in try cost + (terms.map { try reader.frequency(of: $0) }.min() ?? 0) }
    }
    guard isWithin else { return nil }
    guard inFields.count != 1 else { return query(inFields[0]) }
    // The words may be in several fields. So their occurrences in all fields rank the hits, and the phrases select them.
    return .filter(.and(distinct(words, prefix: prefix)), by: .or(inFields.map(query)))
  }

  /// A query for all of the words at any positions. It replaces a phrase that exceeds the budget.
  private mutating func anywhere(_ words: [[UInt8]], prefix: [UInt8]) throws -> Query {
    try budget.leaveOut(
      "the phrases of the query have more than \(QueryBudget.mostPhraseWords) words, or words that are too frequent",
      searched: "the words of further phrases are searched anywhere", offset: nil, recovery: .searchFewer(.phrases))
    return .and(distinct(words, prefix: prefix))
  }

  private func distinct(_ words: [[UInt8]], prefix: [UInt8]) -> [Query] {
    Set(words).sorted { $0.lexicographicallyPrecedes($1) }.prefix(QueryBudget.mostPhraseWords)
      .map { view.query(ofWord: $0, prefix: prefix) }
  }
}
