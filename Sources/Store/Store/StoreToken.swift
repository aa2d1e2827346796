// SPDX-License-Identifier: MIT

/// A reader's position: it has read everything up to and including transaction `number` of the store `storeUUID`.
package struct StoreToken: Codable, Hashable, Sendable {
  package var storeUUID: String
  package var number: Int64
  /// The raw 64 bits of that transaction's timestamp, or the marks of a file without history. nil if the history was
  /// empty. A store that was restored or replaced has other bits under the same number.
  package var stamp: UInt64?
  /// The digest of the store's model when the token was taken.
  package var modelDigest: String

  package init(storeUUID: String, number: Int64, stamp: UInt64?, modelDigest: String) {
    self.storeUUID = storeUUID
    self.number = number
    self.stamp = stamp
    self.modelDigest = modelDigest
  }
}

/// Whether a token is still valid for the store as it is now.
package enum TokenVerdict: Equatable, Sendable {
  /// There is no token. Index all rows.
  case noToken
  /// Every transaction after the token exists.
  case valid
  /// The store has no history, and the marks of its file differ from those in the token; or the schema of an attached
  /// database was changed in a way that its log does not record. Only a comparison of the rows shows whether they have
  /// changed.
  case mayHaveChanged
  /// The history continues, but more was written to an attached database than its change log explains: a program may not
  /// fire the triggers. Only a comparison of the rows shows whether they have changed.
  case unexplained
  /// The store has no history, and a comparison found rows that differ from the indexed rows.
  case changed
  /// The token's transaction or later ones were purged. `missing` holds the first ten ranges of missing numbers.
  case expired(missing: [ClosedRange<Int64>])
  /// The token belongs to another store, or to a history from which this one has diverged.
  case diverged(Divergence)
  /// The history is complete, and the model has only gained entities and properties. Rows that no transaction after the
  /// token touched are unchanged, except for the default values of new attributes.
  case modelGrown
  /// The history is complete, but the store was migrated. Rows may have changed without a change in the history.
  case modelChanged

  /// Whether only a comparison of the rows tells whether the index is up to date.
  package var isOpen: Bool { [.mayHaveChanged, .unexplained].contains(self) }

  package enum Divergence: Equatable, Sendable {
    case otherStore(uuid: String)
    /// The token is of the time before the database was attached, when it had no history.
    case beforeAttaching
    case newerThanStore(newest: Int64)
    case otherHistory
  }
}
