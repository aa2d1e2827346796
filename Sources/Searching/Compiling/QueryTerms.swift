// SPDX-License-Identifier: MIT

internal import Indexing
internal import SearchIndex

/// The words that a query searches, as terms of the index: a snippet highlights them.
struct QueryTerms {
  struct Term: Hashable {
    let fieldPrefix: String
    /// The folded word or its stem, or the prefix of words.
    let text: [UInt8]
    let kind: Kind

    enum Kind: Hashable { case word, stem, prefix }
  }

  private(set) var terms: Set<Term> = []

  init(_ query: Query) {
    for (term, isPrefix) in query.terms {
      guard let word = DocumentLayout.word(term) else { continue }
      let kind: Term.Kind = word.isStem ? .stem : isPrefix ? .prefix : .word
      terms.insert(Term(fieldPrefix: word.fieldPrefix, text: Array(word.text), kind: kind))
    }
  }
}

extension Query {
  /// The terms of which a match has some, and the prefixes of such terms.
  var terms: [(term: [UInt8], isPrefix: Bool)] {
    switch self {
    case .everything, .nothing, .range, .valueSet, .databases, .documents: []
    case .term(let term): [(term, false)]
    case .prefixes(let prefixes): prefixes.map { ($0, true) }
    case .places(let places): places.joined().map { ($0, false) }
    case .near(let terms, _): terms.map { ($0, false) }
    case .and(let operands), .or(let operands), .synonyms(let operands): operands.flatMap(\.terms)
    case .andNot(let query, _), .boosted(let query, _, _, _), .scaled(let query, _): query.terms
    case .filter(let query, let condition): query.terms + condition.terms
    }
  }
}
