// SPDX-License-Identifier: MIT

internal import Indexing

#if canImport(Glibc)
  internal import Glibc
#endif

/// Runs work that waits for disks and locks on a separate thread, so that it does not block the caller's thread.
enum OwnThread {
  /// Runs `body` on a new thread, and returns or throws its result. Cancelling the caller's task stops the work.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let stop = StopSwitch()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        start {
          continuation.resume(with: Swift.Result { try StopSignal.$ownSwitch.withValue(stop) { try body() } })
        } orFail: {
          continuation.resume(throwing: $0)
        }
      }
    } onCancel: {
      stop.turnOn()
    }
  }

  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private static func start(_ work: @escaping () -> Void, orFail fail: (OperationError) -> Void) {
    let context = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      fail(
        OperationError(
          .file, "no thread can be started: \(String(cString: strerror(code)))",
          recovery: .raiseLimits))
      return
    }
    pthread_detach(thread)
  }
}
