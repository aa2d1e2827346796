// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// Wakes a reader when the store's file or its `-wal` is written, replaced or removed (inotify).
///
/// A wake-up is only a hint: the event precedes the visibility of the transaction, and a network file system sends
/// none. Readers confirm by `dataVersion()`, and poll at intervals.
package final class ChangeNotice {
  private let listener: DirectoryWatcher.Listener
  private let watch: Int32

  /// Watches the directory of the store at `path`; nil if no watch is available. The caller polls then.
  package init?(storePath path: String) {
    // The watch is set on the file's real directory, so that it also works through a symbolic link.
    guard let real = FileIdentity.resolved(path), let slash = real.lastIndex(of: "/") else { return nil }
    let name = String(real[real.index(after: slash)...])
    listener = DirectoryWatcher.Listener(names: [name, name + "-wal", name + "-journal"])
    let directory = slash == real.startIndex ? "/" : String(real[..<slash])
    guard let watch = DirectoryWatcher.shared.add(listener, to: directory) else { return nil }
    self.watch = watch
  }

  deinit { DirectoryWatcher.shared.remove(listener, watch: watch) }

  /// Waits until the store may have changed, `other` becomes readable, or the timeout expires.
  ///
  /// - Returns: Whether the store may have changed.
  package func wait(milliseconds: Int32, other: Int32) -> Bool {
    Self.wait(for: [self], milliseconds: milliseconds, other: other)
  }

  /// Waits until one of some stores may have changed, `other` becomes readable, or the timeout expires.
  ///
  /// - Returns: Whether a store may have changed.
  package static func wait(for notices: [ChangeNotice], milliseconds: Int32, other: Int32) -> Bool {
    // The events of a save that has ended wake once, whatever the watching thread has read of them.
    DirectoryWatcher.shared.wakeListeners()
    var polled = ([other] + notices.map(\.listener.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0, polled[0].revents == 0 else { return false }
    DirectoryWatcher.shared.wakeListeners()
    return notices.reduce(false) { $1.listener.take() || $0 }
  }
}
