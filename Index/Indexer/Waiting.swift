// SPDX-License-Identifier: MIT

internal import Base
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Waits for an index to reach a transaction.
package struct Waiting {
  package struct Outcome: Sendable {
    package let isReached: Bool
    package let wanted: Int64
    /// nil if there is no index.
    package let token: Int64?
    /// Why the token does not count, where it is not of this store's own past.
    package var reason: String?
  }

  private let storePath: String
  private let directory: IndexDirectory

  package init(storePath: String, directory: IndexDirectory) {
    self.storePath = storePath
    self.directory = directory
  }

  /// - Parameters:
  ///   - token: The transaction to wait for; nil for the store's newest at the time of the call.
  ///   - whenIdle: Called once where the wait is not over at once and no process works on the index.
  package func run(token: Int64?, milliseconds: Int, whenIdle: () -> Void = {}) throws -> Outcome {
    let wanted = try token ?? StoreFile.open(storePath).newest()
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(milliseconds)
    var pause: UInt32 = 1
    var isFirst = true
    while true {
      let reached = try self.reached()
      let fault = try reached.flatMap { $0.number >= wanted ? try self.fault(of: $0) : "" } ?? ""
      if let reached, reached.number >= wanted, fault.isEmpty {
        return Outcome(isReached: true, wanted: wanted, token: reached.number)
      }
      if isFirst, FileLock.holder(.update, in: directory) == nil, FileLock.holder(.rebuild, in: directory) == nil {
        whenIdle()
      }
      isFirst = false
      guard clock.now < deadline else {
        return Outcome(
          isReached: false, wanted: wanted, token: reached?.number, reason: fault.isEmpty ? nil : fault)
      }
      try StopSignal.check()
      usleep(pause * 1_000)
      pause = min(pause * 2, 20)
    }
  }

  /// What is wrong with the token; empty where it lies in this store's own past.
  private func fault(of token: StoreToken) throws -> String {
    let store = try StoreFile.open(storePath, readings: directory.readings)
    let verdict = try store.withSnapshot { try store.verdict(on: token) }
    return [.valid, .modelGrown].contains(verdict) ? "" : verdict.sentence(token: token)
  }

  private func reached() throws -> StoreToken? {
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
