// SPDX-License-Identifier: MIT

internal import Indexing
package import PersistentStore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Waits until another process has saved to a store, or until this process is told to stop.
package final class ChangeWaiter {
  private let path: String
  private let stopDescriptor: Int32
  private var notice: ChangeNotice?

  /// Milliseconds after which the caller looks by itself: some file systems give no notices.
  private static let pollMilliseconds: Int32 = 1_000
  /// The same if no notices can be had at all.
  private static let blindPollMilliseconds: Int32 = 200
  /// A notice comes before the transaction is visible: microseconds between looks for it.
  private static let rechecks: [(times: Int, pause: UInt32)] = [(30, 50), (16, 1_000), (20, 10_000)]

  package init(storePath: String) {
    path = storePath
    stopDescriptor = StopSignal.catchFromNow()
  }

  /// Waits for a moment before the store is read again after an error, or until this process is told to stop.
  package func pause() { pause(Self.blindPollMilliseconds) }

  private func pause(_ milliseconds: Int32) {
    var polled = pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, milliseconds)
  }

  /// Returns as soon as `store` may have changed since its last snapshot, after a second, or at a stop signal. If a copy
  /// of the store is read, it first waits until the next copy may be made.
  ///
  /// - Parameter version: The version of the store's data before its last snapshot.
  package func wait(for store: PersistentStore, since version: Int64) throws {
    if notice == nil { notice = ChangeNotice(storePath: path) }
    if let rest = store.nextCopy.map({ $0 - .now }), rest > .zero {
      pause(Int32(clamping: Int(rest / .milliseconds(1)) + 1))
    }
    guard try store.dataVersion() == version, !StopSignal.isRaised else { return }
    guard let notice else {
      return pause()
    }
    guard notice.wait(milliseconds: Self.pollMilliseconds, other: stopDescriptor) else { return }
    for (times, pause) in Self.rechecks {
      for _ in 0..<times where !StopSignal.isRaised {
        usleep(pause)
        if try store.isReplaced || store.dataVersion() != version { return }
      }
    }
  }
}
