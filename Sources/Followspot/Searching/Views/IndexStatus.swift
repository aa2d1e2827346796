// SPDX-License-Identifier: MIT

package import SearchIndex

/// The state of the index that answered.
package struct IndexStatus: Sendable {
  package var uuid: String
  package var generation: Int
  package var token: Int64
  /// The number of transactions after the token; nil if it is not known.
  package var lagTransactions: Int64?
  /// The age of the oldest of them; nil if it is not known.
  package var lagSeconds: Double?
  /// How much of the store the index contains.
  package var complete: Completeness
  /// Whether the token belongs to the history of this store. Otherwise the answer may be about other rows.
  package var isOfThisStore = true
  /// The transaction that the answer reflects: the newest of the store, or the index's token.
  package var answersAt: Int64

  /// Whether the answer reflects the newest transaction of the store; nil if it is not known.
  package var isNewest: Bool? { lagTransactions.map { answersAt >= token + $0 } }
}
