/// How far a reader has read: everything up to and including transaction `number` of the store `storeUUID`.
package struct HistoryToken: Codable, Hashable, Sendable {
  package var storeUUID: String
  package var number: Int64
  /// The raw 64 bits of that transaction's timestamp, or the marks of a file without history; nil where the history was
  /// empty. A store that was restored or
  /// replaced has other bits under the same number.
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

/// What a token is worth against the store as it is now.
package enum TokenVerdict: Equatable, Sendable {
  /// There is no token: take a snapshot of all rows.
  case noToken
  /// Every transaction after the token is there.
  case goOn
  /// There is no history, and the file has changed since the token was taken: compare all rows.
  case changed
  /// Transactions after the token, or the token's own, were purged. Ranges of missing numbers, the first ten.
  case expired(missing: [ClosedRange<Int64>])
  /// The token was taken from another store, or from another past of this one.
  case diverged(Divergence)
  /// The history is whole, and the model has only gained entities and properties: rows that no transaction after the
  /// token touched are as they were, but for the default values of new attributes.
  case modelGrown
  /// The history is whole, but the store was migrated: rows may have changed without a change in the history.
  case modelChanged

  package enum Divergence: Equatable, Sendable {
    case otherStore(uuid: String)
    case newerThanStore(newest: Int64)
    case otherPast
  }
}
