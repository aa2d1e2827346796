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

  /// Runs `body` on a new thread, and returns or throws its result. Cancelling the caller's task stops the work.
  ///
  /// - Throws: `CancellationError` if the caller's task is cancelled already.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let stop = StopSwitch()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let job = Job(body)
        let code = WorkerThread.detach {
          continuation.resume(with: Swift.Result { try StopSignal.$ownSwitch.withValue(stop) { try job.take()() } })
        }
        guard code == 0 else {
          let reason = String(cString: strerror(code))
          return continuation.resume(
            throwing: OperationError(.file, "no thread can be started: \(reason)", recovery: .raiseLimits))
        }
      }
    } onCancel: {
      stop.turnOn()
    }
  }
}
