internal import IndexDefinitions
internal import SearchIndex

extension QueryLowering {
  /// The query of a word; nil if there is nothing to search for.
  mutating func lower(_ word: ResolvedWord) throws -> Query? {
    if let note = word.note { budget.note(note) }
    var found: [Query] = []
    for variant in word.variants {
      if let query = try lower(variant, prefix: word.prefix), !found.contains(query) { found.append(query) }
    }
    return found.count > 1 ? .synonyms(found) : found.first
  }

  /// The query of a variant; nil if it is omitted without a note.
  mutating func lower(_ variant: WordVariant, prefix: [UInt8]) throws -> Query? {
    switch variant {
    case .term(let term): return .term(term)
    case .phrase(let words): return try adjacent(words, prefix: prefix)
    case .humps(let words):
      let terms = words.map { prefix + $0 }
      if let query = try positional(terms, prefix: prefix, Query.phrase) { return query }
      if !budget.mayApproximate { _ = try anywhere(terms) }
      return nil
    }
  }

  mutating func phrase(_ words: [[UInt8]], prefix: [UInt8]) throws -> Query {
    switch words.count {
    case 0: .nothing
    case 1: .term(prefix + words[0])
    default: try adjacent(words, prefix: prefix)
    }
  }

  /// The words as a phrase. If it exceeds the budget, all of the words at any positions.
  private mutating func adjacent(_ words: [[UInt8]], prefix: [UInt8]) throws -> Query {
    let terms = words.map { prefix + $0 }
    return try positional(terms, prefix: prefix, Query.phrase) ?? anywhere(terms)
  }

  /// Words in any order, with at most `distance - 1` other words between them.
  mutating func near(_ words: [[UInt8]], _ distance: Int) throws -> Query {
    guard words.count > 1 else { return words.first.map(Query.term) ?? .nothing }
    return try positional(words, prefix: []) { .near($0, window: distance + $0.count - 1) } ?? anywhere(words)
  }

  /// The query that `query` makes to compare the positions of terms; nil if the comparison exceeds the budget.
  private mutating func positional(
    _ terms: [[UInt8]], prefix: [UInt8], _ query: ([[UInt8]]) -> Query
  ) throws -> Query? {
    let prefixes = prefix.isEmpty ? index.fields.textPrefixes : [[]]
    let inFields = prefixes.map { prefix in terms.map { prefix + $0 } }
    let reader = index.reader
    let isWithin = try budget.spendPhrase(words: terms.count) {
      try inFields.reduce(0) { cost, terms in try cost + (terms.map { try reader.frequency(of: $0) }.min() ?? 0) }
    }
    guard isWithin else { return nil }
    guard prefix.isEmpty else { return query(terms) }
    // Terms without a field have weights, and terms of a field have positions. So the former rank the hits, and the
    // latter select them.
    return .filter(.and(Self.distinct(terms)), by: .or(inFields.map(query)))
  }

  /// A query for all of the terms at any positions. It replaces a phrase that exceeds the budget.
  private mutating func anywhere(_ terms: [[UInt8]]) throws -> Query {
    try budget.leaveOut(
      "the phrases of the query have more than \(QueryBudget.mostPhraseWords) words, or words that are too frequent",
      searched: "the words of further phrases are searched anywhere", offset: nil, recovery: .searchFewer(.phrases))
    return .and(Self.distinct(terms))
  }

  private static func distinct(_ terms: [[UInt8]]) -> [Query] {
    Array(Set(terms)).sorted { $0.lexicographicallyPrecedes($1) }.prefix(QueryBudget.mostPhraseWords).map(Query.term)
  }
}
