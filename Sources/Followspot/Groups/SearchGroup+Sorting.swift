// SPDX-License-Identifier: MIT

internal import Store

/// Sorted answers of a group: each store sorts its own matches, and the results are merged.
extension SearchGroup {
  /// The answer of one store, and the values of each hit by sort key.
  private typealias Sorted = (result: SearchResult, values: [[[FieldReader.FieldValue]]])
  private typealias Answers = [(member: GroupMember, answer: Sorted)]

  func sorted(_ request: SearchRequest) throws -> SearchResult {
    var own = request
    own.offset = 0
    own.limit = request.limit.map { $0 + request.offset }
    own.words = request.words == .any ? .any : .all
    let (answers, notes) = try answers(to: own)
    var result = merged(answers, notes, facets: own.facets)
    var hits = ordered(answers, request)
    // All stores agree on whether records with any of the words follow those with all of them.
    if try request.words == .widening && isWidened(request) {
      let known = Set(hits.map { Identity($0) })
      own.words = .any
      own.limit = own.limit.map { $0 + known.count }
      let (all, notes) = try self.answers(to: own)
      result = merged(all, notes, facets: own.facets)
      result.isWidened = true
      hits += ordered(all, request).filter { !known.contains(Identity($0)) }
    }
    result.hits = Array(hits.dropFirst(request.offset).prefix(request.limit ?? .max))
    return result
  }

  /// The answer of each store, with the facets that it has.
  private func answers(to request: SearchRequest) throws -> (Answers, notes: [String]) {
    var known = KnownFacets(request.facets)
    let (answers, notes) = try eachMember { member, context -> Sorted in
      let before = known
      return try member.searcher().withView(request, group: context) { view in
        // An attempt may be repeated.
        known = before
        var own = request
        own.facets = try known.names(in: view, member.name)
        let result = try Searcher.answer(own, in: view)
        // A remote index may order by a field that it does not store.
        let readers = request.sort.map { try? FieldReader.of($0.field, in: view) }
        let values = try result.hits.map { hit in
          let row = RowIdentifier(entity: hit.entity.number, key: hit.identifier.key)
          return try readers.map { try $0?.values(of: row) ?? [] }
        }
        return (result, values)
      }
    }
    return (answers, notes + (try known.notes()))
  }

  private struct Identity: Hashable {
    let store: String?
    let record: RecordURI

    init(_ hit: Hit) { (store, record) = (hit.store, hit.identifier) }
  }

  private func isWidened(_ request: SearchRequest) throws -> Bool {
    var request = request
    (request.limit, request.sort, request.facets) = (1, [], [])
    return try ranked(request).isWidened
  }

  /// Everything but the hits.
  private func merged(_ answers: Answers, _ notes: [String], facets: [String]) -> SearchResult {
    let results = answers.map(\.answer.result)
    var merged = SearchResult(index: results[0].index)
    merged.stores = answers.map { StoreStatus(name: $0.member.name, index: $0.answer.result.index) }
    merged.estimated = results.reduce(0) { $0 + $1.estimated }
    merged.corrected = results.lazy.compactMap(\.corrected).first
    merged.nearest = merged.estimated == 0 ? results.lazy.compactMap(\.nearest).first : nil
    merged.notes = notes + answers.flatMap { member, answer in answer.result.notes.map { "\(member.name): \($0)" } }
    merged.facets = Facet.merged(results.flatMap(\.facets), in: facets)
    return merged
  }

  /// The hits of all stores in one order. Equal values are in the order of the stores.
  private func ordered(_ answers: Answers, _ request: SearchRequest) -> [Hit] {
    let order = BestMatches(most: .max / 4, descends: request.sort.map(\.descends))
    var hits: [Hit] = []
    for (member, (result, values)) in answers {
      for (var hit, values) in zip(result.hits, values) {
        // A hit is identified by its number.
        withUnsafeBytes(of: UInt64(hits.count).bigEndian) { order.begin($0) }
        for (field, values) in values.enumerated() { for value in values { order.add(value, field: field) } }
        order.end()
        hit.store = member.name
        hits.append(hit)
      }
    }
    return order.sorted().map { number in hits[number.reduce(0) { $0 << 8 | Int($1) }] }
  }
}
