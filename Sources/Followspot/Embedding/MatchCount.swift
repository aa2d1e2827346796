// SPDX-License-Identifier: MIT

/// How many objects match a query.
public struct MatchCount: Sendable {
  /// The exact number of matching objects.
  public let matches: Int
  /// How many of them have each value of a field; nil if no field was requested.
  public let facet: FacetCounts?
  /// The closest query that finds something, if this one finds nothing.
  public let nearest: NearestSearch?
  /// The number of the transaction that the count reflects.
  public let token: Int64
  /// The number of newer transactions, usually 0; nil if it is not known.
  public let lag: Int64?
  /// Sentences for people.
  public let notes: [String]
}

extension MatchCount {
  init(_ result: CountResult, of query: SearchQuery) {
    (matches, notes) = (result.count, result.notes)
    facet = result.facet.map(FacetCounts.init)
    nearest = result.nearest.map { NearestSearch($0, insteadOf: query) }
    (token, lag) = (result.index.answersAt, result.index.lag)
  }
}
