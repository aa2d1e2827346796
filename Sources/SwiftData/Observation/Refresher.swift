// SPDX-License-Identifier: MIT

internal import Synchronization

/// Runs a refresh on an actor after requests from any thread.
///
/// Requests that come before the refresh are one. Without an actor, the refresher calls `onRequest`, and the owner
/// refreshes when `take()` returns true.
final class Refresher: @unchecked Sendable {
  // Unchecked: the actor is set once, and the closures are set before the first request.

  private weak var actor: (any Actor)?
  private let hasActor: Bool
  private let isRequested = Atomic(false)
  private var refresh: () -> Void = {}
  private var onRequest: @Sendable () -> Void = {}

  init(_ actor: (any Actor)?) {
    self.actor = actor
    hasActor = actor != nil
  }

  /// - Parameters:
  ///   - refresh: Runs on the actor.
  ///   - onRequest: Runs on the thread of the request where there is no actor.
  func start(refresh: @escaping () -> Void, onRequest: @escaping @Sendable () -> Void) {
    self.refresh = refresh
    self.onRequest = onRequest
  }

  /// Whether there was a request since the last call.
  func take() -> Bool { isRequested.exchange(false, ordering: .sequentiallyConsistent) }

  func request() {
    let isRepeated = isRequested.exchange(true, ordering: .sequentiallyConsistent)
    // Without an actor each request is reported: nobody may have been tracking when an earlier one was.
    guard hasActor else { return onRequest() }
    guard !isRepeated else { return }
    Task { [weak self] in
      // A deallocated actor needs no refresh.
      guard let self, let actor = self.actor else { return }
      await self.run(on: actor)
    }
  }

  /// Requests again after a failure that may pass.
  func requestLater() {
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(1))
      self?.request()
    }
  }

  private func run(on actor: isolated any Actor) {
    if take() { refresh() }
  }
}

/// Writes errors that cannot be thrown to standard error, an error that repeats only once.
struct ErrorReports {
  private var last: String?

  /// - Returns: Whether another attempt may succeed.
  mutating func report(_ what: String, _ error: any Error) -> Bool {
    let text = "SwiftData: \(what): \(error)\n"
    if text != last { FileHandle.standardError.write(Data(text.utf8)) }
    last = text
    return error as? SwiftDataError == .readFailure
  }

  mutating func reset() { last = nil }
}
