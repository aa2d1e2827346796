// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Updates an index once, from its token to the newest transaction.
package enum Pass {
  /// What one pass, or a follower from its start to its end, has done.
  package struct Outcome: Sendable {
    /// The state of the index at the end.
    let state: IndexState
    package let effects: WriteEffects
    package let duration: Duration

    package var token: Int64 { state.token?.number ?? 0 }
    package var leftOut: LeftOutRows { state.leftOut }

    init(_ state: IndexState, _ effects: WriteEffects, since started: ContinuousClock.Instant) {
      (self.state, self.effects, duration) = (state, effects, .now - started)
    }
  }

  /// - Throws: `OperationError.locked` while another process updates the index; `.stopped` after a stop signal.
  @discardableResult
  package static func run(_ options: Indexer.Options) throws -> Outcome {
    let started = ContinuousClock.now
    let lock = try FileLock.forUpdate(of: options.storePath, in: options.directory, verb: "index")
    defer { withExtendedLifetime(lock) {} }
    lock.note(state: "indexing")
    let indexer = Indexer(options, lock: lock)
    while true {
      try indexer.catchUp()
      try StopSignal.check()
      if let state = indexer.state { return Outcome(state, indexer.effects, since: started) }
    }
  }
}
