// SPDX-License-Identifier: MIT

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
    for (adjacent, isPrefix) in query.adjacentTerms {
      let words = adjacent.compactMap { DocumentLayout.word($0) }
      guard let word = words.first else { continue }
      let kind: Term.Kind = word.isStem ? .stem : isPrefix ? .prefix : .word
      terms.insert(Term(fieldPrefix: word.fieldPrefix, text: words.flatMap(\.text), kind: kind))
    }
  }

  /// The letters of scripts without blanks that are adjacent in a match, by the field that has them.
  func letters(in fieldPrefix: String) -> [(term: Term, letters: [Unicode.Scalar])] {
    terms.filter { $0.fieldPrefix == fieldPrefix && $0.kind == .word && WordRule.isUnspaced($0.text) }
      .map { ($0, Array(String(decoding: $0.text, as: UTF8.self).unicodeScalars)) }
  }
}

extension Query {
  /// The terms of which a match has some, and the prefixes of such terms.
  var terms: [(term: [UInt8], isPrefix: Bool)] {
    adjacentTerms.flatMap { adjacent in adjacent.terms.map { ($0, adjacent.isPrefix) } }
  }

  /// The same. Letters of a script without blanks that a phrase has side by side are together, because each of them alone
  /// is not a match.
  fileprivate var adjacentTerms: [(terms: [[UInt8]], isPrefix: Bool)] {
    switch self {
    case .everything, .nothing, .range, .valueSet, .databases, .documents: return []
    case .term(let term): return [([term], false)]
    case .prefixes(let prefixes): return prefixes.map { ([$0], true) }
    case .places(let places): return Self.adjacent(places).map { ($0, false) }
    case .near(let terms, _): return terms.map { ([$0], false) }
    case .and(let operands), .or(let operands), .synonyms(let operands): return operands.flatMap(\.adjacentTerms)
    case .andNot(let query, _), .boosted(let query, _, _, _), .scaled(let query, _): return query.adjacentTerms
    case .filter(let query, let condition):
      // The words of a phrase in several fields only rank what the phrases select.
      let selected = condition.adjacentTerms
      return selected.contains { $0.terms.count > 1 } ? selected : query.adjacentTerms + selected
    }
  }

  private static func adjacent(_ places: [[[UInt8]]]) -> [[[UInt8]]] {
    var found: [[[UInt8]]] = []
    var isBehindLetter = false
    for terms in places {
      let isLetter = terms.count == 1 && DocumentLayout.word(terms[0]).map { WordRule.isUnspaced($0.text) } ?? false
      if isLetter, isBehindLetter { found[found.count - 1] += terms } else { found += terms.map { [$0] } }
      isBehindLetter = isLetter
    }
    return found
  }
}
