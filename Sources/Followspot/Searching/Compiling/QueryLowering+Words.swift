// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

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
      if let query = try positional(words, prefix: prefix, Query.places) { return query }
      if !budget.mayApproximate { _ = try anywhere(words, prefix: prefix) }
      return nil
    }
  }

  /// - Parameter isBeginning: Whether the last word is a beginning.
  mutating func phrase(_ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool) throws -> Query {
    switch words.count {
    case 0: .nothing
    case 1: query(of: words[0], prefix: prefix, isBeginning: isBeginning)
    default: try adjacent(words, prefix: prefix, isBeginning: isBeginning)
    }
  }

  /// The words as a phrase. If it exceeds the budget, all of the words at any positions.
  private mutating func adjacent(_ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool = false) throws -> Query {
    try positional(words, prefix: prefix, isBeginning: isBeginning, Query.places)
      ?? anywhere(words, prefix: prefix, isBeginning: isBeginning)
  }

  /// Words in any order, with at most `distance - 1` other words between them.
  mutating func near(_ words: [[UInt8]], _ distance: Int) throws -> Query {
    guard words.count > 1 else { return words.first.map { view.query(ofWord: $0, prefix: []) } ?? .nothing }
    return try positional(words, prefix: []) { .near(Array($0.joined()), window: distance + $0.count - 1) }
      ?? anywhere(words, prefix: [])
  }

  /// The query that `query` makes to compare the positions of words; nil if the comparison exceeds the budget.
  private mutating func positional(
    _ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool = false, _ query: ([[[UInt8]]]) -> Query
  ) throws -> Query? {
    var inFields: [[[[UInt8]]]] = []
    for prefix in view.prefixes(prefix) {
      guard let places = try places(words, prefix: prefix, isBeginning: isBeginning) else { return nil }
      if !places.contains(where: \.isEmpty) { inFields.append(places) }
    }
    let view = view
    let isWithin = try budget.spendPhrase(words: words.count) {
      try inFields.reduce(0) { try $0 + Self.frequency(of: $1, in: view) }
    }
    guard isWithin else { return nil }
    guard inFields.count > 1 else { return inFields.first.map(query) ?? .nothing }
    // The words may be in several fields. So their occurrences in all fields rank the hits, and the phrases select them.
    return .filter(
      .and(distinct(words, prefix: prefix, isBeginning: isBeginning)), by: .or(inFields.map(query)))
  }

  /// Maximum number of words that may be the last one of a phrase, if that is a beginning.
  private static let mostEndings = 2_000

  /// The terms of each word of a phrase in one field; nil if too many words have the beginning.
  private func places(_ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool) throws -> [[[UInt8]]]? {
    let whole = words.map { [prefix + $0] }
    guard isBeginning, let last = words.last else { return whole }
    final class Endings { var terms: [[UInt8]] = [] }
    let found = Endings()
    try view.eachWord(startingWith: last, behind: prefix) { word in
      found.terms.append(prefix + Array(word))
      return found.terms.count <= Self.mostEndings
    }
    return found.terms.count <= Self.mostEndings ? whole.dropLast() + [found.terms] : nil
  }

  /// An upper bound of the number of documents that have a phrase.
  static func frequency(of places: [[[UInt8]]], in view: SearchView) throws -> Int {
    try places.map { try $0.reduce(0) { try $0 + view.reader.frequency(of: $1) } }.min() ?? 0
  }

  /// A query for all of the words at any positions. It replaces a phrase that exceeds the budget.
  private mutating func anywhere(_ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool = false) throws -> Query {
    try budget.leaveOut(
      "the phrases of the query have more than \(QueryBudget.mostPhraseWords) words, or words that are too frequent",
      searched: "the words of further phrases are searched anywhere", offset: nil, recovery: .searchFewer(.phrases))
    return .and(distinct(words, prefix: prefix, isBeginning: isBeginning))
  }

  private func distinct(_ words: [[UInt8]], prefix: [UInt8], isBeginning: Bool) -> [Query] {
    let whole = Set(isBeginning ? words.dropLast() : words).sorted { $0.lexicographicallyPrecedes($1) }
      .prefix(QueryBudget.mostPhraseWords).map { view.query(ofWord: $0, prefix: prefix) }
    return whole + (isBeginning ? words.suffix(1) : []).map { query(of: $0, prefix: prefix, isBeginning: true) }
  }

  /// The documents with a word as it is written, or with any word that begins with it.
  private func query(of word: [UInt8], prefix: [UInt8], isBeginning: Bool) -> Query {
    guard isBeginning else { return view.query(ofWord: word, prefix: prefix) }
    return .prefixes(view.prefixes(prefix).flatMap { JoinedWords.prefixes($0, startingWith: word) })
  }
}
