// SPDX-License-Identifier: MIT

internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Detects the saves of other processes and containers to one store file.
final class StoreWatch: Sendable {
  let url: URL
  /// The write end of a pipe; closing it ends the thread, which owns the read end.
  private let stopping: Locked<Int32>

  /// - Parameter onSave: Called on the watch's thread with the newest transaction: at first, and after each new one.
  init(_ url: URL, onSave: @escaping @Sendable (_ newest: Int64) -> Void) {
    self.url = url
    let path = url.path
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stopping = Locked(ends[1])
    let stop = ends[0]
    let thread = Thread {
      var file = WatchedFile(path: path)
      var reported: Int64?
      repeat {
        if let newest = file.newest(), newest != reported {
          reported = newest
          onSave(newest)
        }
      } while file.wait(until: stop)
      if stop >= 0 { close(stop) }
    }
    thread.name = "store watch"
    thread.start()
  }

  deinit { stop() }

  func stop() {
    stopping.withLock { end in
      if end >= 0 { close(end) }
      end = -1
    }
  }

  /// The connection and the change notice of the watching thread.
  private struct WatchedFile {
    let path: String
    let notice: ChangeNotice?
    var store: PersistentStore?

    init(path: String) {
      self.path = path
      notice = ChangeNotice(storePath: path)
    }

    /// Without a change notice the store is polled.
    ///
    /// - Returns: false once `descriptor` is at its end.
    func wait(until descriptor: Int32) -> Bool {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if let notice {
        // A save writes many pages before it commits: let their events accumulate.
        if notice.wait(milliseconds: 2_000, other: descriptor) { usleep(5_000) }
        poll(&polled, 1, 0)
      } else {
        poll(&polled, 1, 500)
      }
      return polled.revents == 0
    }

    mutating func newest() -> Int64? {
      if store == nil || store?.isReplaced == true { store = try? StoreFile.open(path, busyMilliseconds: 100) }
      return try? store?.newest()
    }
  }
}
