// SPDX-License-Identifier: MIT

internal import Store

extension Comparison {
  /// Writes and removes only the documents that differ from the store. Call it inside the snapshot whose newest transaction
  /// becomes the token. Large differences are committed in parts that keep the old token.
  ///
  /// - Parameters:
  ///   - reason: Why the token was not followed, for `status`.
  ///   - deep: A reader of the same generation, to compare terms as well.
  /// - Throws: `IndexError.corrupt` if the index does not contain what was written. Only a rebuild repairs that.
  func reconcile(
    _ writer: GenerationWriter, reason: String, deep: IndexReader? = nil, now: String
  ) throws -> IndexState.Reconciliation {
    var result = IndexState.Reconciliation(reason: reason, added: 0, updated: 0, removed: 0, at: now)
    let checksumBefore = writer.rejected.checksum
    var gone = writer.rejectedIdentities
    let token = try store.token()
    let outcome = try run(with: writer, deep: deep) { difference in
      switch difference {
      case .missing(let mapped):
        gone.remove(mapped.identity)
        try writer.add(mapped)
        result.added += 1
      case .stale(let mapped):
        try writer.replace(mapped)
        result.updated += 1
      case .damaged(let mapped):
        throw IndexError(
          .corrupt,
          "the index \(writer.path) is damaged: the words of \(mapped.name) differ from those that were written",
          recovery: .rebuildIndex)
      case .extra(let entity, let key):
        try writer.remove(entity: entity, key: key)
        result.removed += 1
      }
      if writer.isFull { try writer.commit(token: nil) }
    }
    guard outcome.nameless == 0 else {
      throw IndexError(
        .corrupt, "\(outcome.nameless) documents of the index have lost their identity", recovery: .rebuildIndex)
    }
    for row in gone.subtracting(outcome.rejected) { try writer.forget(row) }
    // Every document now equals its row, so the checksum is that of the store.
    let rejected = writer.rejected.checksum &- checksumBefore
    let leftOut = try LeftOutRows(of: store, mapper)
    try writer.updateState {
      $0.leftOut = leftOut
      $0.checksum = outcome.checksum &- rejected
      $0.lastReconcile = result
      try $0.noteComparison(in: store)
      try $0.describe(store)
    }
    try writer.commit(token: token)
    return result
  }
}
