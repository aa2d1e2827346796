package import PersistentStore
package import SQLite

package struct SearchResult: Sendable {
  package var hits: [Hit] = []
  /// Documents that match what was run.
  package var estimated = 0
  package var isWidened = false
  /// The query with its misspelt words corrected, which is what was searched; nil where none was.
  package var corrected: String?
  /// Where nothing is found: the closest query that finds something.
  package var nearest: NearestQuery?
  /// For people: what was done beside the ordinary.
  package var notes: [String] = []
  package var index: IndexStatus
  /// In the order in which they were asked for.
  package var facets: [Facet] = []
}

/// How many records match.
package struct CountResult: Sendable {
  package let count: Int
  /// How many of them have each value of the field that was asked for; nil where none was.
  package let facet: Facet?
  /// Where nothing is found: the closest query that finds something.
  package let nearest: NearestQuery?
  /// For people: what was done beside the ordinary.
  package let notes: [String]
  package let index: IndexStatus
}

/// One hit, joined with its live row.
package struct Hit: Sendable {
  package enum Freshness: String, Sendable {
    case indexed
    /// Found in what was saved after the transaction that the index has reached.
    case overlay
    /// The row was saved after that transaction, and the answer is as of it.
    case changed
  }

  package let identifier: PersistentIdentifier
  package let entity: EntityLayout
  package let score: Double
  package let freshness: Freshness
  /// By attribute index, as the row is now.
  package let values: [Value]
  package let title: String
  /// The values of the fields that were asked for, by the names they were asked for with.
  package var fields: [String: FieldTexts] = [:]
  /// The place that matches, where it was asked for and there is one.
  package var snippet: Snippet?
  /// The value of the field by which hits are put into sections; empty where there is none.
  package var section: String?
}

/// The values of a field of one row.
package struct FieldTexts: Equatable, Sendable {
  package let texts: [String]
  /// Whether there may be several.
  package let isList: Bool
}

/// How far the index that answered has read.
package struct IndexStatus: Sendable {
  package var uuid: String
  package var generation: Int
  package var token: Int64
  package var lagTransactions: Int64
  package var lagSeconds: Double
  /// Whether the token lies in the store's own past; else the answer may be about other rows.
  package var isOfThisStore = true
  /// The transaction as of which the answer is: the store's newest, or the index's token.
  package var answersAt: Int64
}
