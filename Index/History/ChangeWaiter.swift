// SPDX-License-Identifier: MIT

internal import Base
package import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Waits until another process has saved to one of some stores, or until this process is told to stop.
package final class ChangeWaiter {
  private let paths: [String]
  private let stopDescriptor = StopSignal.catchFromNow()
  private var notices: [ChangeNotice?]

  /// Milliseconds after which the store is read without a notice, because some file systems give none.
  private static let pollMilliseconds: Int32 = 1_000
  /// The same if the system gives no notices at all.
  private static let blindPollMilliseconds: Int32 = 200
  /// A notice can come before the transaction is visible, because the sync of a commit takes time. Then the store is read
  /// again: how often, and the pause before each time in microseconds.
  private static let rechecks: [(times: Int, pause: UInt32)] = [(30, 50), (16, 1_000), (20, 10_000)]

  package convenience init(storePath: String) { self.init(storePaths: [storePath]) }

  package init(storePaths: [String]) {
    paths = storePaths
    notices = storePaths.map { ChangeNotice(storePath: $0) }
  }

  /// Whether the system provides change notices for all stores now.
  func hasNotices() -> Bool {
    notices = zip(notices, paths).map { $0 ?? ChangeNotice(storePath: $1) }
    return !notices.contains { $0 == nil }
  }

  /// Waits for a moment, or until this process is told to stop.
  package func pause(_ milliseconds: Int32 = blindPollMilliseconds) {
    var polled = pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, milliseconds)
  }

  /// Waits until a store may have changed, for a second at most, or until this process is told to stop.
  ///
  /// - Parameter limit: The milliseconds to wait of those given.
  /// - Returns: Whether there was a notice.
  func wait(limit: (Int32) -> Int32 = { $0 }) -> Bool {
    if hasNotices() {
      return ChangeNotice.wait(
        for: notices.compactMap(\.self), milliseconds: limit(Self.pollMilliseconds), other: stopDescriptor)
    }
    pause(limit(Self.blindPollMilliseconds))
    return false
  }

  /// Looks for the transaction of a notice for a while.
  ///
  /// - Returns: Whether `isVisible` was true.
  func confirm(_ isVisible: () throws -> Bool) rethrows -> Bool {
    for (times, pause) in Self.rechecks {
      for _ in 0..<times where !StopSignal.isRaised {
        usleep(pause)
        if try isVisible() { return true }
      }
    }
    return false
  }

  /// Returns as soon as one of the stores may have changed since its last snapshot, after a second, or at a stop signal.
  /// If copies of all of them are read, it first waits until the next copy may be made.
  ///
  /// - Parameter stores: Each with the version of its data before its last snapshot.
  package func wait(for stores: [(store: PersistentStore, version: DataVersion?)]) throws {
    let copies = stores.compactMap(\.store.nextCopy)
    if copies.count == stores.count, let rest = copies.min().map({ $0 - .now }), rest > .zero {
      pause(Int32(clamping: Int(rest / .milliseconds(1)) + 1))
    }
    func hasChanged() throws -> Bool {
      try stores.contains { try $0.store.isReplaced || $0.store.dataVersion() != $0.version }
    }
    guard try !hasChanged(), !StopSignal.isRaised, wait() else { return }
    _ = try confirm(hasChanged)
  }
}
