// SPDX-License-Identifier: MIT

internal import FoundationEssentials

extension StoreGroup {
  /// Searches all stores, and joins each hit with its row.
  ///
  /// - Throws: As `StoreIndex.search`. If only some of the stores lack a field of the query, a note says so instead.
  public func search(_ query: SearchQuery) async throws -> SearchAnswer {
    try await answer(to: query)
  }

  /// Counts the matches of a query exactly, as `StoreIndex.count`.
  ///
  /// - Parameters:
  ///   - query: Its order, page and contents do not matter.
  ///   - field: The field whose values are counted, `@store` for the stores; nil = none.
  /// - Throws: As `search`.
  public func count(_ query: SearchQuery, by field: String? = nil) async throws -> MatchCount {
    try await matches(of: query, by: field)
  }

  /// Completes a partial query from all stores, as `StoreIndex.suggestions`.
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
  ///   - id: The identifier of a hit, also as `films:Film/p12`.
  ///   - query: Its page and contents do not matter.
  /// - Returns: nil if no store has such an object.
  /// - Throws: As `search`; `.usage` for a text that is no identifier, or that several stores have an object for.
  public func explain(_ id: String, _ query: SearchQuery) async throws -> HitExplanation? {
    try await explanation(of: id, query)
  }

  /// The answer to a query, and then how it changes with each save to one of the stores, as `StoreIndex.results(of:)`.
  ///
  /// - Parameter query: A limit bounds the memory and the time of each answer.
  public func results(of query: SearchQuery) -> SearchUpdates { SearchUpdates(source: self, query: query) }

  /// Runs an SQL statement over the stores, in which each entity is a table with the rows of all stores that have it.
  ///
  /// - Parameters:
  ///   - sql: One statement: SELECT, WITH, VALUES or EXPLAIN.
  ///   - limit: Maximum number of rows; nil = all.
  ///   - timeout: The time after which the statement is stopped; nil for no limit.
  /// - Throws: As `StoreIndex.rows(of:)`.
  public func rows(of sql: String, limit: Int? = nil, timeout: Duration? = nil) async throws -> SQLRows {
    let stores = members.map { (name: String?($0.name), path: $0.index.store.path, directory: $0.index.indexDirectory) }
    return try await work { try SQLRows(of: sql, in: StoreStatement(stores), limit, timeout) }
  }
}
