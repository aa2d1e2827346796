// SPDX-License-Identifier: MIT

internal import Synchronization

/// Has something refreshed after changes that any thread may tell of, by the actor it belongs to.
///
/// Changes that come before the refresh are one request. What belongs to no actor is not refreshed from here: its owner
/// asks by `take()`, and `onRequest` tells that there is something to ask for.
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
    guard !isRequested.exchange(true, ordering: .sequentiallyConsistent) else { return }
    guard hasActor else { return onRequest() }
    Task { [weak self] in
      // An actor that is gone has nothing left to be refreshed.
      guard let self, let actor = self.actor else { return }
      await self.run(on: actor)
    }
  }

  /// Requests again what failed for a reason that passes.
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

/// Tells on standard error what cannot be thrown, each trouble once.
struct Complaints {
  private var last: String?

  /// - Returns: Whether the same may go well a little later.
  mutating func tell(_ what: String, _ error: any Error) -> Bool {
    let text = "SwiftData: \(what): \(error)\n"
    if text != last { FileHandle.standardError.write(Data(text.utf8)) }
    last = text
    return error as? SwiftDataError == .readFailure
  }

  mutating func settle() { last = nil }
}
