// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// A thread that nobody joins.
package enum DetachedThread {
  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Runs `run` on a new thread.
  ///
  /// - Returns: 0, or the error number if the system cannot create a thread; `run` is not called then.
  package static func start(_ run: @escaping () -> Void) -> Int32 {
    let body = Unmanaged.passRetained(Body(run))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      return code
    }
    pthread_detach(thread)
    return 0
  }
}
