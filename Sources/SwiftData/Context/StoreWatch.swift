internal import PersistentStore
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Notices the saves of other processes and containers to one store file.
final class StoreWatch: Sendable {
  let url: URL
  private let stopping: (read: Int32, write: Int32)
  private let isStopped = Mutex(false)
  /// The newest transaction that was told of.
  private let told = Mutex<Int64>(0)
  private let onSave: @Sendable (Int64) -> Void

  init(_ url: URL, onSave: @escaping @Sendable (_ newest: Int64) -> Void) {
    self.url = url
    let path = url.path
    self.onSave = onSave
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stopping = (ends[0], ends[1])
    let thread = Thread { [weak self] in
      guard let descriptor = self?.stopping.read else { return }
      var lookout = Lookout(path: path)
      while true {
        lookout.wait(until: descriptor)
        guard let self, !self.isStopped.withLock({ $0 }) else { return }
        if let newest = lookout.newest() { self.tell(newest) }
      }
    }
    thread.name = "store watch"
    thread.start()
  }

  deinit {
    stop()
    if stopping.read >= 0 { close(stopping.read) }
    if stopping.write >= 0 { close(stopping.write) }
  }

  func stop() {
    guard
      isStopped.withLock({ stopped in
        defer { stopped = true }
        return !stopped
      })
    else { return }
    _ = write(stopping.write, "x", 1)
  }

  /// A save of this container was told of already.
  func note(_ transaction: Int64) { told.withLock { $0 = max($0, transaction) } }

  private func tell(_ newest: Int64) {
    let isNew = told.withLock { told in
      defer { told = max(told, newest) }
      return newest > told
    }
    if isNew { onSave(newest) }
  }

  /// The watching thread's own view of the store.
  private struct Lookout {
    let path: String
    let notice: ChangeNotice?
    var store: PersistentStore?

    init(path: String) {
      self.path = path
      notice = ChangeNotice(storePath: path)
    }

    /// Where no notice can be had, a look once in a while has to do.
    func wait(until descriptor: Int32) {
      if let notice {
        _ = notice.wait(milliseconds: 2_000, other: descriptor)
      } else {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, 500)
      }
    }

    mutating func newest() -> Int64? {
      if store == nil || store?.isReplaced == true { store = try? PersistentStore.open(path, busyMilliseconds: 100) }
      return try? store?.newest()
    }
  }
}
