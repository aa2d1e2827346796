internal import PersistentStore
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Waits for an index to reach a transaction.
package struct Waiting {
  package struct Outcome: Sendable {
    package let isReached: Bool
    package let wanted: Int64
    /// nil while there is no index.
    package let token: Int64?
  }

  private let storePath: String
  private let directory: IndexDirectory

  package init(storePath: String, directory: IndexDirectory) {
    self.storePath = storePath
    self.directory = directory
  }

  /// - Parameter token: The transaction to wait for; nil for the store's newest at the time of the call.
  package func run(token: Int64?, milliseconds: Int) throws -> Outcome {
    let wanted = try token ?? PersistentStore.open(storePath).newest()
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(milliseconds)
    var pause: UInt32 = 1
    while true {
      let reached = try self.reached()
      if let reached, reached.number >= wanted, try isOfThisStore(reached) {
        return Outcome(isReached: true, wanted: wanted, token: reached.number)
      }
      guard clock.now < deadline else {
        return Outcome(isReached: false, wanted: wanted, token: reached?.number)
      }
      usleep(pause * 1_000)
      pause = min(pause * 2, 20)
    }
  }

  /// Whether the token lies in this store's own past; that of a restored or replaced one is still to be healed.
  private func isOfThisStore(_ token: HistoryToken) throws -> Bool {
    let store = try PersistentStore.open(storePath)
    return try store.withSnapshot { try store.verdict(on: token) == .goOn }
  }

  private func reached() throws -> HistoryToken? {
    guard let serving = try directory.serving() else { return nil }
    do {
      return try IndexState.readToken(IndexReader(path: serving.path))
    } catch let error as IndexError where error.code == .corrupt {
      // A generation that was switched away between the two looks.
      if try directory.serving() != serving { return nil }
      throw error
    }
  }
}
