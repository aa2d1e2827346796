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
      if let reached, reached >= wanted { return Outcome(isReached: true, wanted: wanted, token: reached) }
      guard clock.now < deadline else { return Outcome(isReached: false, wanted: wanted, token: reached) }
      usleep(pause * 1_000)
      pause = min(pause * 2, 20)
    }
  }

  private func reached() throws -> Int64? {
    guard let serving = try directory.serving() else { return nil }
    do {
      return try IndexState.read(path: serving.path).token?.number
    } catch let error as IndexError where error.code == .corrupt {
      // A generation that was switched away between the two looks.
      if try directory.serving() != serving { return nil }
      throw error
    }
  }
}
