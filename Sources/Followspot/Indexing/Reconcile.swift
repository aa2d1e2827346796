internal import PersistentStore
package import SearchIndex

extension Comparison {
  /// Touches what differs between store and index, and only that. Call it inside the snapshot whose newest
  /// transaction becomes the token. Large repairs are committed in parts that keep the old token.
  ///
  /// - Parameters:
  ///   - reason: For `status`, such as why the token was of no use.
  ///   - deep: A reader of the same generation: compares terms too.
  /// - Throws: `IndexError.corrupt` where the index does not hold what was written: only a rebuild mends that.
  package func reconcile(
    _ writer: GenerationWriter, reason: String, deep: IndexReader? = nil, now: String
  ) throws -> IndexState.Reconciliation {
    var result = IndexState.Reconciliation(reason: reason, added: 0, updated: 0, removed: 0, at: now)
    let sumBefore = writer.refusedSum
    var gone = writer.rejectedRows
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
    // Every document now says what its row says, whatever the sum was before.
    let refused = writer.refusedSum &- sumBefore
    writer.updateState {
      $0.checksum = outcome.checksum &- refused
      $0.lastReconcile = result
    }
    try writer.commit(token: token)
    return result
  }
}
