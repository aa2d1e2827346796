// SPDX-License-Identifier: MIT

internal import Following
internal import Indexing
internal import Searching

extension Invocation {
  /// The number of pending changes up to which a search covers them. For more, a pass of the indexer is faster.
  private static let mostChanges = 10_000
  /// Processor time for that, in milliseconds.
  private static let mostMilliseconds = 60_000

  /// Searches at the store's newest transaction, including changes that are not indexed yet. If the history lacks some
  /// of these changes or has too many, the index is updated first. If a follower holds the lock, this waits for it.
  ///
  /// - Parameter body: Runs the request, whose `mostLag` is 0. It may be called twice, if the first call throws.
  /// - Throws: `OperationError.stale` if the answer can miss records even after the update.
  func upToDate<Answer>(
    _ request: SearchRequest, _ body: (Searcher, SearchRequest) throws -> Answer
  ) throws -> Answer {
    let (storePath, directory) = (try storePath(), try indexDirectory())
    var request = request
    // An answer that lags can miss records or show outdated ones.
    request.mostLag = 0
    var patient = request
    (patient.overlayLimits.changes, patient.overlayLimits.milliseconds) = (Self.mostChanges, Self.mostMilliseconds)
    do {
      return try body(Searcher(storePath: storePath, directory: directory), patient)
    } catch let error as OperationError where error.code == .stale {
      // The index is updated below, and can answer then.
    }
    do {
      try Pass.run(try indexerOptions())
    } catch let error as OperationError where error.code == .locked {
      _ = try Waiting(storePath: storePath, directory: directory).run(token: nil, milliseconds: 5_000)
    }
    return try body(Searcher(storePath: storePath, directory: directory), request)
  }
}
