// SPDX-License-Identifier: MIT

package import SQLite
package import Store

/// One change of one record, or one record of the initial snapshot.
package struct FeedEvent: Sendable {
  /// nil for a record that existed when the feed began.
  package let change: ChangeKind?
  /// Where a reader continues that has handled this event; nil within the snapshot, whose last record has the position
  /// of the whole.
  package var position: FeedPosition?
  /// The transaction that made the change; of a snapshot, the newest one that it contains.
  package let transaction: Int64
  package let entity: EntityLayout
  package let identifier: RecordURI
  package let author: String?
  /// Seconds since 1970 UTC, by the clock of the process that saved; nil within the snapshot.
  package let secondsSince1970: Double?
  /// The names of the updated properties; empty if they are not known.
  package let updated: [String]
  /// The present values by attribute index; nil if the record does not exist any more.
  package let values: [Value]?
  /// Preserved values of a deleted record, by `EntityLayout.tombstoneOrder`.
  package let tombstone: [Value]
}
