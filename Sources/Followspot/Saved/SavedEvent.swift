// SPDX-License-Identifier: MIT

package import Store

/// One change of the result of a saved search.
package struct SavedEvent: Equatable, Sendable {
  /// The position in the events of the search, from 1. It rises by one with each event and never repeats.
  package let number: Int64
  package let kind: ResultChange
  package let record: RecordURI
  /// The transaction as of which the search was evaluated.
  package let token: Int64
  /// The title of the record; of a deleted one, its last known title.
  package let title: String
  /// The author of the last transaction that changed the record; nil if there is none, or if it is not known.
  package let author: String?
  /// The values of the record as a JSON object; nil if the record was deleted.
  package let fields: String?

  /// Identifies the event among those of its search: `42.7/Movie/p12` is the seventh event, as of transaction 42.
  package var identifier: String { "\(token).\(number)/\(record.short)" }
}
