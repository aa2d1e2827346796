// SPDX-License-Identifier: MIT

internal import Glibc

/// The file descriptors of the process.
enum Descriptors {
  /// Replaces closed standard streams by a placeholder. Otherwise the next file that is opened, such as the store,
  /// would get the descriptor of a standard stream. The placeholder permits only the wrong direction. Reading standard
  /// input or writing standard output therefore fails, as on a closed descriptor.
  static func fillStandardStreams() {
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
      guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
      // `open` returns the lowest free descriptor, which is this one. A directory permits neither direction.
      if open("/dev/null", mode) < 0 { _ = open("/", O_RDONLY) }
    }
  }

  /// Waits until one of the descriptors is readable or at its end; a descriptor of -1 is ignored.
  ///
  /// - Parameter milliseconds: The maximum time; -1 for no limit.
  /// - Returns: Whether each of them is; all are false after the time, or at a signal.
  static func wait(for descriptors: [Int32], milliseconds: Int32 = -1) -> [Bool] {
    var waited = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return poll(&waited, nfds_t(waited.count), milliseconds) > 0
      ? waited.map { $0.revents != 0 } : descriptors.map { _ in false }
  }

  /// Raises the number of files that the process may have open to the highest that the system allows.
  static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
