// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard input, output and error.
enum StandardStreams {
  /// Replaces closed standard streams by a placeholder. Otherwise the next file that is opened, such as the store,
  /// would get the descriptor of a standard stream. The placeholder permits only the wrong direction. Reading standard
  /// input or writing standard output therefore fails, as on a closed descriptor.
  static func fill() {
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
      guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
      // `open` returns the lowest free descriptor, which is this one.
      _ = open("/dev/null", mode)
    }
  }
}
