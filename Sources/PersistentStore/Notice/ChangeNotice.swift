#if canImport(Glibc)
  internal import Glibc
#endif

/// Wakes a reader when the store's file or its `-wal` is written, replaced or removed (inotify).
///
/// A wake-up is only a hint: the event precedes the visibility of the transaction, and a network file system sends
/// none. Readers confirm by `dataVersion()`, and poll at intervals.
package final class ChangeNotice {
  private let descriptor: Int32
  private let names: Set<String>

  /// Watches the directory of the store at `path`; nil if no watch is available. The caller polls then.
  package init?(storePath path: String) {
    // The watch is set on the file's real directory, so that it also works through a symbolic link.
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    let real = String(cString: resolved)
    guard let slash = real.lastIndex(of: "/") else { return nil }
    let name = String(real[real.index(after: slash)...])
    let directory = slash == real.startIndex ? "/" : String(real[..<slash])
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    names = [name, name + "-wal", name + "-journal"]
    guard descriptor >= 0 else { return nil }
    let mask = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
    // All properties are set, so `deinit` runs and closes the descriptor.
    guard inotify_add_watch(descriptor, directory, mask) >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Waits until the store may have changed, `other` becomes readable, or the timeout expires.
  ///
  /// - Returns: Whether the store may have changed.
  package func wait(milliseconds: Int32, other: Int32) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(Int64(milliseconds))
    var left = milliseconds
    while true {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, 2, left) > 0, polled[1].revents == 0 else { return false }
      if drain() { return true }
      // Other files of a busy directory changed: let their events accumulate before the next read.
      usleep(5_000)
      let rest = (deadline - clock.now).components
      left = Int32(max(0, rest.seconds * 1_000 + rest.attoseconds / 1_000_000_000_000_000))
      guard left > 0 else { return false }
    }
  }

  /// Reads all pending events. Returns whether one of them names the store.
  private func drain() -> Bool {
    var isOurs = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress!, buffer.count)
        guard count > 0 else { return }
        var at = 0
        while at + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
          let start = at + MemoryLayout<inotify_event>.size
          let name = buffer[start..<(start + Int(event.len))].prefix { $0 != 0 }
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || names.contains(String(decoding: name, as: UTF8.self)) {
            isOurs = true
          }
          at = start + Int(event.len)
        }
      }
    }
    return isOurs
  }
}
