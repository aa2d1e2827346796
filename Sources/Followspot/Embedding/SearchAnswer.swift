// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The result of a search in a `StoreIndex`.
public struct SearchAnswer: Sendable {
  /// The hits, highest score first, or in the order of `SearchQuery.sort`.
  public let hits: [SearchHit]
  /// The number of matching objects; an estimate beyond 10,000. Where the history of deletes is missing, deleted objects
  /// on other pages are included until the index is updated.
  public let matches: Int
  /// Whether `matches` is an estimate. `StoreIndex.count(_:by:)` counts exactly.
  public let isEstimate: Bool
  /// Whether objects with only some of the words are included, because few objects have all of them.
  public let isWidened: Bool
  /// The query that was searched, with misspelt words corrected; nil if no word was corrected.
  public let correctedQuery: String?
  /// The closest query that finds something, if this one finds nothing.
  public let nearest: NearestSearch?
  /// The counts that `SearchQuery.facets` requested, in their order. They cover all matches.
  public let facets: [FacetCounts]
  /// The number of the transaction that the answer reflects. It is the newest of the store, unless the index is too far
  /// behind. A search covers only a limited number of changes that are not indexed yet.
  public let token: Int64
  /// The number of newer transactions, usually 0; nil if it is not known whether the store has changed. A database without
  /// a history is so if comparing its rows would take too long. `StoreIndex.update()` indexes the changes.
  public let lag: Int64?
  /// The age of the oldest transaction that the answer lacks, 0 if it lacks none; nil if it is not known.
  public let lagTime: Duration?
  /// How much of the store the index contains.
  public let coverage: IndexCoverage
  /// The stores of a group that answered, in their order; empty without a group.
  public let stores: [StoreState]
  /// The stores of a group that cannot be read, with the reason as a sentence that names the store; empty without a group.
  public let missing: [String: String]
  /// Sentences for people, for example about a corrected word.
  public let notes: [String]

  /// The hits in groups with the same `SearchHit.section`, in the order of their first hits. Empty without
  /// `SearchQuery.section`.
  public var sections: [HitSection] {
    var positions: [String: Int] = [:]
    var sections: [HitSection] = []
    for (index, hit) in hits.enumerated() {
      guard let value = hit.section else { continue }
      if let position = positions[value] {
        sections[position].indexes.append(index)
      } else {
        positions[value] = sections.count
        sections.append(HitSection(value: value, indexes: [index]))
      }
    }
    return sections
  }
}

/// How new the part of an answer is that one store of a group gave.
public struct StoreState: Hashable, Sendable {
  /// The name of the store in the group.
  public let name: String
  /// The number of the transaction that the answer reflects, as `SearchAnswer.token`.
  public let token: Int64
  /// The number of newer transactions, as `SearchAnswer.lag`.
  public let lag: Int64?
  /// How much of the store the index contains.
  public let coverage: IndexCoverage

  init(_ status: StoreStatus) {
    (name, token, lag) = (status.name, status.index.answersAt, status.index.lag)
    coverage = IndexCoverage(status.index.complete)
  }
}

/// Hits that have the same value of the field that groups them.
public struct HitSection: Hashable, Sendable {
  /// The value; empty for the hits without one.
  public let value: String
  /// The positions of the hits in `SearchAnswer.hits`, ascending.
  public internal(set) var indexes: [Int]
}

extension SearchAnswer {
  init(_ result: SearchResult, of query: SearchQuery) {
    hits = result.hits.map(SearchHit.init)
    matches = result.estimated
    isEstimate = query.limit != nil && result.estimated > Ranker.exactUpTo
    isWidened = result.isWidened
    correctedQuery = result.corrected
    nearest = result.nearest.map { NearestSearch($0, insteadOf: query) }
    facets = result.facets.map(FacetCounts.init)
    token = result.index.answersAt
    lag = result.index.lag
    lagTime = result.index.lagTime
    coverage = IndexCoverage(result.index.complete)
    stores = result.stores.map(StoreState.init)
    missing = result.missing.reasons
    notes = result.notes
  }
}

extension [MissingPart] {
  /// The reasons by the names of the stores.
  var reasons: [String: String] { Dictionary(map { ($0.name, $0.reason) }) { first, _ in first } }
}

extension IndexStatus {
  /// The number of transactions that an answer lacks; nil if it is not known.
  var lag: Int64? { lagTransactions.map { max(0, token + $0 - answersAt) } }

  /// The age of the oldest of them.
  var lagTime: Duration? { isNewest == true ? .zero : lagSeconds.map { .seconds($0) } }
}
