// SPDX-License-Identifier: MIT

package import Store

/// What searches records: one store, or a group of stores.
package protocol RecordSearch: AnyObject {
  /// The entities of all stores.
  var entities: [EntityLayout] { get }
  /// The fields that a replica can show; nil if a store is read.
  var storedFields: Set<String>? { get }
  /// The names of the stores of a group, of those that do not answer, too; empty for one store.
  var storeNames: [String] { get }
  /// The parts of a group that do not answer.
  var missing: [MissingPart] { get }
  /// The identifier of a record, if there is one.
  var exampleIdentifier: String { get }

  /// Whether values of a field or an attribute can be shown. A replica has only some.
  func mayShow(_ name: String) -> Bool
  /// Whether an index has a field of that name.
  func hasField(_ name: String) -> Bool
  /// Whether the query is about deleted records.
  func findsDeleted(_ request: SearchRequest) throws -> Bool
  /// The records that a text names, which may not exist; empty if the text is not an identifier.
  func records(named text: String) throws -> [NamedRecord]
  func search(_ request: SearchRequest) throws -> SearchResult
  func count(_ request: SearchRequest, by field: String?) throws -> CountResult
  /// Explains why a record matches a query, or why it does not; nil if there is no such record.
  func explain(_ named: NamedRecord, _ request: SearchRequest) throws -> Explanation?
  /// Runs `body` with a view of each store, whose index and rows are those of that store alone.
  func withStoreViews<Answer>(_ request: SearchRequest, _ body: ([StoreView]) throws -> Answer) throws -> Answer
  /// The stores, which stay open. Those on other machines are not among them.
  func searchers() throws -> [Searcher]
  /// As `Searcher.suggestions`.
  func suggestions(for request: SearchRequest) throws -> (suggestions: [Suggestion], notes: [String])
}

/// One store of a search at one moment.
package struct StoreView {
  /// The name of the store in its group; nil if there is no group.
  let name: String?
  let view: SearchView
}

extension [StoreView] {
  /// Those with a history, and the names of the others.
  ///
  /// - Throws: `OperationError.usage` if none has one.
  func withHistory() throws -> (stores: [StoreView], others: [String]) {
    let stores = filter(\.view.store.tracking.hasHistory)
    if stores.isEmpty { try first?.view.store.requireHistory() }
    return (stores, filter { !$0.view.store.tracking.hasHistory }.compactMap(\.name))
  }
}

extension Searcher: RecordSearch {
  package var missing: [MissingPart] { [] }
  package var storeNames: [String] { [] }

  package func withStoreViews<Answer>(
    _ request: SearchRequest, _ body: ([StoreView]) throws -> Answer
  ) throws -> Answer {
    try withView(request) { try body([StoreView(name: nil, view: $0)]) }
  }

  package func searchers() -> [Searcher] { [self] }
}

extension SearchGroup: RecordSearch {
  package var storedFields: Set<String>? { nil }
  package var storeNames: [String] { members.map(\.name) + missing.map(\.name) }
  package func mayShow(_ name: String) -> Bool { true }

  package func withStoreViews<Answer>(
    _ request: SearchRequest, _ body: ([StoreView]) throws -> Answer
  ) throws -> Answer {
    try withAnsweringParts(request) {
      try withViews(request) { views in
        let keys = self.keys(views)
        return try body(
          members.indices.map { number in
            StoreView(
              name: members[number].name,
              view: try views.viewAlone(number).with(group: keys.context(of: number)))
          })
      }
    }
  }

  package func searchers() throws -> [Searcher] {
    try members.filter { !$0.isRemote }.map { try $0.searcher() }
  }
}

extension RecordSearch {
  /// The hit of one record; nil if it does not exist.
  ///
  /// - Parameter fields: As `SearchRequest.fields`.
  package func hit(_ named: NamedRecord, fields: [String] = []) throws -> Hit? {
    var request = SearchRequest(query: "*")
    (request.record, request.store, request.fields, request.limit) = (named.record, named.store, fields, 1)
    return try search(request).hits.first
  }
}
