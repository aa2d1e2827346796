// SPDX-License-Identifier: MIT

internal import Indexing

/// How much of a store its index contains.
struct CompleteDocument: Encodable {
  struct LeftOut: Encodable {
    let noKey: Int
    let noDefinition: Int
    let notAttached: Int
    let notSearchable: Int
    let rejected: Int
  }

  let rows: Int
  let documents: Int
  let leftOut: LeftOut
  let truncated: Int
  let failed: Int
  let pending: Int64?

  init(_ complete: Completeness) {
    let leftOut = complete.leftOut
    (rows, documents) = (complete.rows, complete.documents)
    self.leftOut = LeftOut(
      noKey: leftOut.rows(.noKey), noDefinition: leftOut.rows(.noDefinition), notAttached: leftOut.rows(.notAttached),
      notSearchable: leftOut.rows(.notSearchable), rejected: leftOut.rows(.rejected))
    (truncated, failed, pending) = (leftOut.truncated, leftOut.failed, complete.pending)
  }
}
