internal import PersistentStore
internal import SearchIndex

/// Updates an index once, from its token to the newest transaction.
package enum Pass {
  /// - Throws: `FollowspotError.locked` while another tailer holds the index.
  package static func run(_ options: Indexer.Options) throws -> IndexState? {
    let lock = try FileLock.tailer(options, verb: "index")
    defer { withExtendedLifetime(lock) {} }
    lock.note(state: "indexing")
    let indexer = Indexer(options, lock: lock)
    repeat { try indexer.catchUp() } while indexer.state == nil && !StopSignal.isRaised
    try StopSignal.check()
    return indexer.state
  }
}
