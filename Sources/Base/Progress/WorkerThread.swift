// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// A thread that runs one closure. Its creator must join it.
package struct WorkerThread {
  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private let thread: pthread_t

  /// nil if the system cannot create a thread.
  package init?(_ run: @escaping @Sendable () -> Void) {
    guard case .success(let made) = Self.start(run) else { return nil }
    thread = made
  }

  package func join() { pthread_join(thread, nil) }

  /// Runs `run` on a new thread that nobody joins.
  ///
  /// - Returns: 0, or the error number if the system cannot create a thread; `run` is not called then.
  package static func detach(_ run: @escaping () -> Void) -> Int32 {
    switch start(run) {
    case .success(let thread):
      pthread_detach(thread)
      return 0
    case .failure(let error): return error.number
    }
  }

  private struct StartError: Error {
    let number: Int32
  }

  private static func start(_ run: @escaping () -> Void) -> Result<pthread_t, StartError> {
    let body = Unmanaged.passRetained(Body(run))
    var made = pthread_t()
    let code = pthread_create(
      &made, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      return .failure(StartError(number: code))
    }
    return .success(made)
  }
}
