// SPDX-License-Identifier: MIT

internal import Base
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Runs work that waits for disks and locks on a separate thread, so that it does not block the caller's thread.
enum OwnThread {
  /// Work whose closure ends before its result is known, and with it what only the closure holds, such as a lock.
  private final class Job<Result: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws -> Result)?>

    init(_ body: @escaping @Sendable () throws -> Result) { self.body = Mutex(body) }

    func take() throws -> @Sendable () throws -> Result {
      try body.withLock { body in
        guard let taken = body else { throw OperationError(.stopped, "the work was taken already") }
        body = nil
        return taken
      }
    }
  }

  /// Gives the first of several results to a caller that waits.
  private final class Reply<Result: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Result, any Error>?>

    init(_ continuation: CheckedContinuation<Result, any Error>) { self.continuation = Mutex(continuation) }

    func give(_ result: Swift.Result<Result, any Error>) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(with: result)
    }
  }

  /// Runs `body` on a new thread.
  ///
  /// - Throws: `OperationError` if the system cannot create one.
  static func start(_ body: @escaping @Sendable () -> Void) throws {
    let code = WorkerThread.detach(body)
    guard code != 0 else { return }
    let reason = String(cString: strerror(code))
    throw OperationError(.file, "no thread can be started: \(reason)", recovery: .raiseLimits)
  }

  /// Runs `body` on a new thread, and returns or throws its result. Cancelling the caller's task stops the work.
  ///
  /// - Parameter deadline: The time after which the work is stopped, and the caller does not wait any longer; nil for none.
  /// - Throws: `CancellationError` if the caller's task is cancelled already; `FollowspotError` with the code `.timeout`.
  static func run<Result: Sendable>(
    within deadline: Duration? = nil, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let stop = StopSwitch()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let job = Job(body)
        let reply = Reply(continuation)
        let alarm = deadline.map { deadline in
          Task {
            try await Task.sleep(for: deadline)
            // Before the work is stopped, which is a result, too.
            reply.give(.failure(FollowspotError(code: .timeout, message: "it took longer than \(deadline)")))
            stop.turnOn()
          }
        }
        do {
          try start {
            let result = Swift.Result { try StopSignal.$ownSwitch.withValue(stop) { try job.take()() } }
            alarm?.cancel()
            reply.give(result)
          }
        } catch {
          alarm?.cancel()
          reply.give(.failure(error))
        }
      }
    } onCancel: {
      stop.turnOn()
    }
  }
}
