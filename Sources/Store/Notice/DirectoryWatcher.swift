// SPDX-License-Identifier: MIT

internal import Base
internal import CSupport
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Watches directories for all change notices of this process, with one inotify instance, because the system limits the
/// instances of a user to 128.
///
/// The instance and the thread that waits for its events exist as long as somebody listens.
final class DirectoryWatcher: @unchecked Sendable {
  // Unchecked: what changes is behind the lock.

  /// Files of one directory, and whether one of them may have changed.
  final class Listener: Sendable {
    fileprivate let names: Set<String>
    /// Readable from a change until `take()`; -1 where no descriptor is available.
    let descriptor = cs_event_descriptor()

    init(names: Set<String>) { self.names = names }

    deinit { close(descriptor) }

    fileprivate func wake() {
      var one: UInt64 = 1
      write(descriptor, &one, 8)
    }

    /// Forgets the changes up to now.
    ///
    /// - Returns: Whether there were any.
    func take() -> Bool {
      var count: UInt64 = 0
      return read(descriptor, &count, 8) == 8
    }
  }

  /// One inotify instance, and what ends its thread.
  private final class Instance: Sendable {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    let stop = cs_event_descriptor()

    deinit {
      close(descriptor)
      close(stop)
    }
  }

  static let shared = DirectoryWatcher()
  private static let mask = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)

  private let lock = Mutex(())
  private var instance: Instance?
  /// By the numbers of the watches.
  private var listeners: [Int32: [Listener]] = [:]

  /// - Returns: The number of the watch; nil if none is available.
  func add(_ listener: Listener, to directory: String) -> Int32? {
    lock.withLock { _ in
      let instance = instance ?? Instance()
      guard listener.descriptor >= 0, instance.descriptor >= 0, instance.stop >= 0 else { return nil }
      let watch = inotify_add_watch(instance.descriptor, directory, Self.mask)
      guard watch >= 0 else { return nil }
      if self.instance == nil, !start(instance) { return nil }
      listeners[watch, default: []].append(listener)
      return watch
    }
  }

  func remove(_ listener: Listener, watch: Int32) {
    lock.withLock { _ in
      // The watch is gone where the directory is.
      if var rest = listeners[watch], let instance {
        rest.removeAll { $0 === listener }
        listeners[watch] = rest.isEmpty ? nil : rest
        if rest.isEmpty { inotify_rm_watch(instance.descriptor, watch) }
      }
      if listeners.isEmpty { stop() }
    }
  }

  /// - Returns: Whether there is a thread that waits for events.
  private func start(_ instance: Instance) -> Bool {
    let code = WorkerThread.detach {
      var polled = [instance.descriptor, instance.stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while true {
        guard poll(&polled, 2, -1) > 0 else { continue }
        guard polled[1].revents == 0 else { return }
        // Let the events of a busy directory accumulate before the next read.
        usleep(self.wakeListeners() ? 1_000 : 5_000)
      }
    }
    guard code == 0 else { return false }
    self.instance = instance
    return true
  }

  private func stop() {
    guard let instance else { return }
    var one: UInt64 = 1
    write(instance.stop, &one, 8)
    self.instance = nil
  }

  // MARK: Events

  /// Reads the pending events, and wakes those that listen to their files.
  ///
  /// - Returns: Whether somebody listens to one of the files.
  @discardableResult
  func wakeListeners() -> Bool {
    lock.withLock { _ in
      guard let instance else { return false }
      var isHeard = false
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while true {
          let count = read(instance.descriptor, buffer.baseAddress!, buffer.count)
          guard count > 0 else { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let start = offset + MemoryLayout<inotify_event>.size
            let name = buffer[start..<(start + Int(event.len))].prefix { $0 != 0 }
            if wake(event, String(decoding: name, as: UTF8.self)) { isHeard = true }
            offset = start + Int(event.len)
          }
        }
      }
      return isHeard
    }
  }

  private func wake(_ event: inotify_event, _ name: String) -> Bool {
    let woken: [Listener]
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      woken = Array(listeners.values.joined())
    } else {
      woken = (listeners[event.wd] ?? []).filter { $0.names.contains(name) }
    }
    if event.mask & UInt32(IN_IGNORED) != 0 { listeners[event.wd] = nil }
    for listener in woken { listener.wake() }
    return !woken.isEmpty
  }
}
