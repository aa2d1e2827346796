#if canImport(Glibc)
  internal import Glibc
#endif

/// The three files that a process is started with.
enum StandardStreams {
  /// Puts something in the place of those that were closed. Otherwise the next file that is opened, the store among
  /// them, would be taken for standard input or output. What is put there can only be used the wrong way round, so that
  /// reading standard input, or writing standard output, fails as it would have done.
  static func fill() {
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
      guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
      // The lowest free number is this one.
      _ = open("/dev/null", mode)
    }
  }
}
