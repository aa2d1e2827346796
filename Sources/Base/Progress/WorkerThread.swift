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
    var made = pthread_t()
    guard Self.start(run, &made) == 0 else { return nil }
    thread = made
  }

  package func join() { pthread_join(thread, nil) }

  /// Runs `run` on a new thread that nobody joins.
  ///
  /// - Returns: 0, or the error number if the system cannot create a thread; `run` is not called then.
  package static func detach(_ run: @escaping () -> Void) -> Int32 {
    var thread = pthread_t()
    let code = start(run, &thread)
    if code == 0 { pthread_detach(thread) }
    return code
  }

  private static func start(_ run: @escaping () -> Void, _ thread: inout pthread_t) -> Int32 {
    let body = Unmanaged.passRetained(Body(run))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    if code != 0 { body.release() }
    return code
  }
}
