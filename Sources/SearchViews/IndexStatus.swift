// SPDX-License-Identifier: MIT

package import Indexing

/// The state of the index that answered.
package struct IndexStatus: Sendable {
  package var uuid: String
  package var generation: Int
  package var token: Int64
  package var lagTransactions: Int64
  package var lagSeconds: Double
  /// How much of the store the index contains.
  package var complete: Completeness
  /// Whether the lag is known. A remote index does not say what its store has saved after its token.
  package var isLagKnown = true
  /// Whether the token belongs to the history of this store. Otherwise the answer may be about other rows.
  package var isOfThisStore = true
  /// The transaction that the answer reflects: the newest of the store, or the index's token.
  package var answersAt: Int64
}
