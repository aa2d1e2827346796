// SPDX-License-Identifier: MIT

package import Search
package import Store

/// What searches records: one store, or a group of stores.
package protocol RecordSearch: AnyObject {
  /// The entities of all stores.
  var entities: [EntityLayout] { get }
  /// The fields that a replica stores; nil if a store is read.
  var storedFields: Set<String>? { get }

  /// Whether an index has a field of that name.
  func hasField(_ name: String) -> Bool
  /// Whether the query is about deleted records.
  func findsDeleted(_ request: SearchRequest) throws -> Bool
  func search(_ request: SearchRequest) throws -> SearchResult
  func count(_ request: SearchRequest, by field: String?) throws -> CountResult
}

extension Searcher: RecordSearch {}

extension SearchGroup: RecordSearch {
  package var storedFields: Set<String>? { nil }
}
