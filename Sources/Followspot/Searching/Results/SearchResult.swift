// SPDX-License-Identifier: MIT

package import SQLite
package import Store

package struct SearchResult: Sendable {
  package var hits: [Hit] = []
  /// The number of matches, estimated beyond 10,000. Matches of this page whose rows were deleted since they were indexed
  /// do not count.
  package var estimated = 0
  package var isWidened = false
  /// The query that was searched, with misspelt words corrected; nil if none was.
  package var corrected: String?
  /// The closest query that finds something, if this one finds nothing.
  package var nearest: NearestQuery?
  /// Remarks for people about how the answer came about.
  package var notes: [String] = []
  /// What the history should preserve; nil if it does, or if the answer is not about deleted records of one database.
  package var preservation: Preservation?
  package var index: IndexStatus
  /// The stores of a group that were searched, with the states of their indexes; empty for one store.
  package var stores: [StoreStatus] = []
  /// The parts of a group that were not searched.
  package var missing: [MissingPart] = []
  /// The requested facets, in the order of the request.
  package var facets: [Facet] = []
  /// The matches that the request hides, by their kinds.
  package var folded: [FoldedHits] = []

  init(index: IndexStatus) { self.index = index }
}

/// Matches that are not shown, so that others are.
package struct FoldedHits: Equatable, Sendable {
  package enum Group: Equatable, Sendable {
    /// Records of a kind that match only by what they belong to.
    case kind(String)
    /// Records of a store of a group.
    case store(String)
  }

  package let group: Group
  package let records: Int

  init(_ group: Group, records: Int) { (self.group, self.records) = (group, records) }
}

/// How many records match.
package struct CountResult: Sendable {
  package let count: Int
  /// How many of them have each value of a field; nil if no field was requested.
  package let facet: Facet?
  /// The closest query that finds something, if this one finds nothing.
  package let nearest: NearestQuery?
  /// Remarks for people about how the answer came about.
  package let notes: [String]
  /// As `SearchResult.preservation`.
  package var preservation: Preservation?
  package let index: IndexStatus
  /// As `SearchResult.stores`.
  package var stores: [StoreStatus] = []
  /// As `SearchResult.missing`.
  package var missing: [MissingPart] = []

  init(
    count: Int, facet: Facet?, nearest: NearestQuery?, notes: [String], preservation: Preservation? = nil,
    index: IndexStatus, stores: [StoreStatus] = [], missing: [MissingPart] = []
  ) {
    (self.count, self.facet, self.nearest, self.notes) = (count, facet, nearest, notes)
    (self.preservation, self.index, self.stores, self.missing) = (preservation, index, stores, missing)
  }
}

/// A part of a group that does not answer, or whose answer cannot be used. It is thrown if there is no other part.
package struct MissingPart: Error, CustomStringConvertible, Sendable {
  package let name: String
  /// A sentence without a full stop, which contains the name.
  package let reason: String
  /// The error of a store or its index; nil for the index of another machine.
  package let error: (any Error)?

  init(name: String, reason: String) { (self.name, self.reason, error) = (name, reason, nil) }

  package init(store name: String, _ error: any Error) {
    (self.name, reason, self.error) = (name, "\(name): \(error)", error)
  }

  package var description: String { reason }
}

/// One store of a group, and the state of its index.
package struct StoreStatus: Sendable {
  package let name: String
  package let index: IndexStatus

  init(name: String, index: IndexStatus) { (self.name, self.index) = (name, index) }
}

/// One hit, joined with its live row.
package struct Hit: Sendable {
  package enum Freshness: String, Sendable {
    case indexed
    /// Found in the overlay: the row changed after the token of the index.
    case overlay
    /// The row changed after the token, and the answer reflects the token.
    case changed
    /// The record was deleted, and the values are those that the history preserves.
    case deleted
  }

  /// The name of the store in its group; nil if only one store was searched.
  package var store: String?
  package let identifier: RecordURI
  package let entity: EntityLayout
  package let score: Double
  package let freshness: Freshness
  /// The current values of the row, by attribute index.
  package let values: [Value]
  package let title: String
  /// How the record was deleted; nil if it exists.
  package var deletion: StoredDeletion?
  /// The attributes whose values the answer has; nil for all. A replica has only those that the index has.
  package var storedAttributes: Set<Int>?
  /// The values of the requested fields, by the names in the request. A replica may lack some.
  package var fields: [String: FieldTexts] = [:]
  /// The passage that matches; nil if it was not requested, or if no text matches.
  package var snippet: Snippet?
  /// The value of the field that groups hits into sections; empty if there is none.
  package var section: String?
}

/// The values of a field of one row.
package struct FieldTexts: Equatable, Sendable {
  package let texts: [String]
  /// Whether the field may have several values.
  package let isList: Bool
}
