// SPDX-License-Identifier: MIT

/// What a query is asked for, of one store or of a group.
extension SearchSource {
  func answer(to query: SearchQuery) async throws -> SearchAnswer {
    let request = try query.request()
    return try await searching(within: query.deadline) { SearchAnswer(try $0.search(request), of: query) }
  }

  func matches(of query: SearchQuery, by field: String?) async throws -> MatchCount {
    let request = try query.request()
    return try await searching(within: query.deadline) { MatchCount(try $0.count(request, by: field), of: query) }
  }

  func completions(of prefix: String, _ limit: Int?) async throws -> [QuerySuggestion] {
    let request = try SearchQuery(prefix, limit: limit).request()
    return try await searching { try $0.suggestions(for: request).suggestions.map(QuerySuggestion.init) }
  }

  func explanation(of id: String, _ query: SearchQuery) async throws -> HitExplanation? {
    let request = try query.request()
    return try await searching(within: query.deadline) { try $0.explanation(of: id, request) }
  }
}

extension RecordSearch {
  /// Explains why a record matches a query; nil if there is no such record.
  ///
  /// - Throws: `FollowspotError` with the code `.usage` if the text is not an identifier, or names several records.
  func explanation(of id: String, _ request: SearchRequest) throws -> HitExplanation? {
    let named = try records(named: id)
    guard !named.isEmpty else {
      if let part = missing.first(where: { id.hasPrefix($0.name + ":") }) { throw part }
      throw FollowspotError(usage: "'\(id)' is not an identifier; identifiers look like \(exampleIdentifier)")
    }
    let found = try named.compactMap { named in try explain(named, request).map { (named, $0) } }
    guard found.count < 2 else {
      throw FollowspotError(usage: "'\(id)' is in several stores: \(found.map(\.0.text).joined(separator: ", "))")
    }
    return found.first.map { HitExplanation($0.1) }
  }
}
