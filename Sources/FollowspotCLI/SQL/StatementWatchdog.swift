// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc
internal import Synchronization

/// Ends the process if a statement does not stop by itself: SQLite does not look at the time or at signals while one
/// function, such as `replace`, works on a large value.
final class StatementWatchdog {
  /// Milliseconds that a statement has for stopping by itself.
  private static let grace: Int32 = 1_000

  private final class State: Sendable {
    let hasEnded = Mutex(false)
  }

  private let state = State()
  private let thread: WorkerThread?
  /// The write end of a pipe, which is closed when the statement has ended.
  private let running: Int32
  private let ended: Int32

  /// - Parameter milliseconds: The time limit of the statement, from now; nil for none.
  init(milliseconds: Int?) {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (ended, running) = (ends[0], ends[1])
    let (ended, stop, state) = (ended, StopSignal.catchFromNow(), state)
    guard ended >= 0 else {
      thread = nil
      return
    }
    thread = WorkerThread {
      Self.wait(for: [ended, stop], milliseconds: milliseconds.map { Int32(clamping: $0) } ?? -1)
      guard !Self.wait(for: [ended], milliseconds: Self.grace) else { return }
      Self.endProcess(milliseconds, state)
    }
  }

  /// The statement has ended. Call it once.
  func end() {
    state.hasEnded.withLock { $0 = true }
    if running >= 0 { close(running) }
    thread?.join()
    if ended >= 0 { close(ended) }
  }

  /// Waits until one of the descriptors is readable. Returns false after the time; -1 is no limit.
  @discardableResult
  private static func wait(for descriptors: [Int32], milliseconds: Int32) -> Bool {
    var waited = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let count = poll(&waited, nfds_t(waited.count), milliseconds)
      if count >= 0 || errno != EINTR { return count > 0 }
    }
  }

  /// Prints the error that the statement would have ended with, and exits with its code.
  private static func endProcess(_ milliseconds: Int?, _ state: State) {
    state.hasEnded.withLock { hasEnded in
      guard !hasEnded else { return }
      var failure: any Error = StoreStatement.lateness(milliseconds ?? 0)
      do { try StopSignal.check() } catch { failure = error }
      ErrorReport.say(failure)
      _exit(ErrorReport.code(of: failure).rawValue)
    }
  }
}
