// SPDX-License-Identifier: MIT

/// How much of a store its index contains, as the last pass counted it.
package struct Completeness: Equatable, Sendable {
  package let documents: Int
  package let leftOut: LeftOutRows
  /// The number of transactions that are not indexed yet or, of a database without history, of rows; nil if it is not known.
  package var pending: Int64?

  package init(documents: Int, leftOut: LeftOutRows, pending: Int64? = nil) {
    self.documents = documents
    self.leftOut = leftOut
    self.pending = pending
  }

  /// The number of rows of the store.
  package var rows: Int { documents + leftOut.total }

  /// A sentence without a full stop about rows that no answer contains, although the user did not leave them out; nil if
  /// there are none. Truncated rows are found by their other words, and by the beginnings of long ones.
  package var gap: String? {
    guard leftOut.lost > 0 else { return nil }
    let rows = leftOut.lost == 1 ? "1 row" : "\(leftOut.lost) rows"
    return "the index does not contain \(rows)"
  }
}
