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

  init(_ query: Query) { collect(query) }

  private mutating func collect(_ query: Query) {
    switch query {
    case .everything, .nothing, .range, .valueSet, .databases, .documents: break
    case .term(let term): add(term, .word)
    case .wildcard(let prefix, _): add(prefix, .prefix)
    case .phrase(let terms), .near(let terms, _): for term in terms { add(term, .word) }
    case .and(let operands), .or(let operands), .synonyms(let operands): for operand in operands { collect(operand) }
    case .andNot(let query, _), .boosted(let query, _, _, _), .scaled(let query, _):
      collect(query)
    case .filter(let query, let condition):
      collect(query)
      collect(condition)
    }
  }

  private mutating func add(_ term: [UInt8], _ kind: Term.Kind) {
    guard let word = DocumentLayout.word(term) else { return }
    terms.insert(Term(fieldPrefix: word.fieldPrefix, text: Array(word.text), kind: word.isStem ? .stem : kind))
  }
}
