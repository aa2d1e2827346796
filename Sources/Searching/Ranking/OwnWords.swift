// SPDX-License-Identifier: MIT

internal import Indexing
internal import SearchIndex

/// The words of a query in the texts of records themselves, and not in the titles of what these belong to.
struct OwnWords {
  /// The documents that have such a word, or whose keys the query names.
  let query: Query

  /// nil if records have no titles of others.
  init?(_ plan: QueryPlan, in view: SearchView) {
    let context = Set(view.fields.textFields.filter(\.isContext).map(\.fieldPrefix))
    guard !context.isEmpty else { return nil }
    let terms = (plan.words + plan.required).flatMap(\.words).filter { term in
      DocumentLayout.word(term).map { !context.contains($0.fieldPrefix) } ?? false
    }
    query = .or(terms.map(Query.term) + (plan.keyQuery.map { [$0] } ?? []))
  }

  /// The identities of those of some documents that have such words.
  ///
  /// - Parameter identities: Of all documents.
  func matching(_ identities: [[UInt8]], in view: SearchView) throws -> Set<[UInt8]> {
    guard !identities.isEmpty else { return [] }
    let terms = identities.map { Query.term(view.lookupTerm(identity: $0)) }
    final class Found { var identities: Set<[UInt8]> = [] }
    let found = Found()
    let both = view.visible(.and([query, .or(terms)]))
    try view.reader.eachMatch(both, slots: [DocumentLayout.Slot.identity]) { values in
      found.identities.insert(Array(values[0]))
      return true
    }
    return found.identities
  }
}

extension Query {
  /// The terms of words.
  fileprivate var words: [[UInt8]] {
    switch self {
    case .term(let term): [term]
    case .phrase(let terms), .near(let terms, _): terms
    case .and(let operands), .or(let operands), .synonyms(let operands): operands.flatMap(\.words)
    case .andNot(let query, _), .boosted(let query, _, _, _), .scaled(let query, _), .filter(let query, _): query.words
    default: []
    }
  }
}
