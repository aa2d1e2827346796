// SPDX-License-Identifier: MIT

extension SearchQuery {
  /// The request of the engine.
  ///
  /// - Throws: `FollowspotError` with the code `.usage` for parameters that have no meaning together.
  func request() throws(FollowspotError) -> SearchRequest {
    try check()
    var request = SearchRequest(query: text)
    request.isLiteral = isLiteral
    request.kinds = kinds
    request.words = SearchRequest.Words(words)
    request.mayApproximate = isCorrected
    request.expands = isExpanded
    request.sort = sort.map { SearchRequest.Sort(field: $0.field, descends: $0.descends) }
    request.boosts = boosts
    request.recency = recency.map { SearchRequest.RecencyBoost(field: $0.field, half: $0.half) }
    (request.offset, request.limit) = (offset, limit)
    request.facets = facets
    (request.section, request.fields) = (section, fields)
    (request.wantsSnippets, request.showsTitles) = (wantsSnippets, snippetsOmitTitle)
    request.isIndexOnly = isIndexOnly
    request.mostLag = maximumLag.map { $0 / .seconds(1) }
    request.atLeast = atLeast
    request.patience = patience.milliseconds
    return request
  }

  private func check() throws(FollowspotError) {
    if offset < 0 { throw FollowspotError(usage: "the offset \(offset) is below 0") }
    if let limit, limit < 0 { throw FollowspotError(usage: "the limit \(limit) is below 0") }
    if let maximumLag, maximumLag < .zero { throw FollowspotError(usage: "the maximum lag is below 0") }
    guard sort.isEmpty || (boosts.isEmpty && recency == nil) else {
      throw FollowspotError(usage: "a query with sort keys cannot have boosts")
    }
    guard !isExpanded || words != .all else {
      throw FollowspotError(usage: "a query that needs all words cannot be expanded")
    }
  }
}

extension SearchRequest.Words {
  fileprivate init(_ words: SearchQuery.Words) {
    self =
      switch words {
      case .widening: .widening
      case .all: .all
      case .any: .any
      }
  }
}

extension SearchQuery.Words {
  init(_ words: SearchRequest.Words) {
    self =
      switch words {
      case .widening: .widening
      case .all: .all
      case .any: .any
      }
  }
}

extension Duration {
  /// Whole milliseconds, at least 0; the largest number for a longer time.
  var milliseconds: Int {
    let count = self / .milliseconds(1)
    return count < 0 ? 0 : Int(exactly: count.rounded()) ?? .max / 2
  }
}

extension FollowspotError {
  /// - Parameter message: What is wrong with the request.
  init(usage message: String) { self.init(code: .usage, message: message) }
}
