// SPDX-License-Identifier: MIT

extension StoreIndex {
  /// Searches the index and the changes that are not indexed yet, and joins each hit with its row.
  ///
  /// - Throws: `FollowspotError`: `.query` with its `queryOffset`, `.indexMissing` before the first `update`, `.stale` if
  ///   the answer would be older than the query allows; `CancellationError` after a cancellation.
  public func search(_ query: SearchQuery) async throws -> SearchAnswer {
    try await answer(to: query)
  }

  /// Searches the index and the changes that are not indexed yet, and joins each hit with its row.
  ///
  /// - Parameters:
  ///   - query: In the query language of `followspot search`: words, `"a phrase"`, `title:word`, `year:1995..2010`,
  ///     `is:favorite`, `kind:Movie`, `toy*`, `AND OR NOT ( )`, `*` for everything.
  ///   - isLiteral: Treats the query as words without operators: for what a user typed into a search field.
  ///   - kinds: Names of the entities to search; empty = all.
  ///   - offset: Number of hits to skip.
  ///   - limit: Maximum number of hits; nil = all.
  /// - Returns: The hits, highest score first.
  /// - Throws: `FollowspotError`: `.query` with its `queryOffset`, `.indexMissing` before the first `update`.
  public func search(
    _ query: String, isLiteral: Bool = false, kinds: [String] = [], offset: Int = 0, limit: Int? = 20
  ) async throws -> SearchAnswer {
    try await search(SearchQuery(query, isLiteral: isLiteral, kinds: kinds, offset: offset, limit: limit))
  }

  /// Counts the matches of a query exactly. The query is neither widened nor corrected: all words are required, unless
  /// its `words` are `.any`.
  ///
  /// - Parameters:
  ///   - query: Its order, page and contents do not matter.
  ///   - field: The field whose values are counted; nil = none.
  /// - Throws: As `search`.
  public func count(_ query: SearchQuery, by field: String? = nil) async throws -> MatchCount {
    try await matches(of: query, by: field)
  }

  /// Completes a partial query: whole titles and whole facet values that start with it, then completions of its last word,
  /// the most frequent first. If there are none, a correction of that word.
  ///
  /// - Parameters:
  ///   - prefix: What was typed so far.
  ///   - limit: Maximum number of suggestions; nil = all.
  /// - Throws: As `search`.
  public func suggestions(for prefix: String, limit: Int? = 10) async throws -> [QuerySuggestion] {
    try await completions(of: prefix, limit)
  }

  /// Explains why an object matches a query, or why it does not.
  ///
  /// - Parameters:
  ///   - id: The identifier of a hit or an object, also as `Film/p12`.
  ///   - query: Its page and contents do not matter.
  /// - Returns: nil if the store has no such object.
  /// - Throws: As `search`; `.usage` for an identifier of another store or an unknown entity.
  public func explain(_ id: String, _ query: SearchQuery) async throws -> HitExplanation? {
    try await explanation(of: id, query)
  }
}
