// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The state of a database file that is at rest: it is in WAL mode, and its `-wal` is empty or missing.
///
/// A commit in WAL mode writes to the `-wal` before other connections can see it. The main file changes only when a
/// checkpoint copies pages from a `-wal` that is not empty. The `-wal` is emptied or removed only after all pages were
/// copied. So the main file alone holds the newest state while the file is at rest, it does not change, and an immutable
/// connection reads it without locks. `isUnchanged` checks that the file was at rest from before the connection was opened
/// until after its last statement.
///
/// No process may use it for a file to which it has another connection: closing the descriptor drops the locks of that
/// connection.
package struct RestingFile {
  private let path: String
  private let status: stat

  /// Checks a file. nil if it is not at rest, was just written, or has another form.
  ///
  /// - Parameters:
  ///   - path: Without symbolic links, because the name of the `-wal` follows from it.
  ///   - recent: A file that was written so recently, in seconds, could be written again without another modification
  ///     time. The coarsest times of file systems are 2 s apart.
  package init?(path: String, recent: Int = 3) {
    self.path = path
    var status = stat()
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let isKnown = fstat(descriptor, &status) == 0
    self.status = status
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // With a second name, a file can have another `-wal`.
    guard isKnown, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
      abs(now.tv_sec - status.st_mtim.tv_sec) > recent, isAtRest, Self.isInWALMode(descriptor)
    else { return nil }
  }

  /// Whether the file was at rest the whole time, so that all that was read is of one state.
  package var isUnchanged: Bool {
    var now = stat()
    return isAtRest && lstat(path, &now) == 0 && now.st_ino == status.st_ino && now.st_dev == status.st_dev
      && now.st_size == status.st_size && now.st_mtim.tv_sec == status.st_mtim.tv_sec
      && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec && now.st_nlink == 1
  }

  private var isAtRest: Bool {
    var status = stat()
    guard stat(path + "-journal", &status) != 0, errno == ENOENT else { return false }
    return Self.isLogEmpty(ofFileAt: path)
  }

  /// Whether the `-wal` of a file is empty or missing.
  ///
  /// - Parameter path: Without symbolic links.
  package static func isLogEmpty(ofFileAt path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 ? status.st_size == 0 : errno == ENOENT
  }

  /// Whether the header says that readers and writers use a write-ahead log.
  private static func isInWALMode(_ descriptor: Int32) -> Bool {
    var versions: [UInt8] = [0, 0]
    return pread(descriptor, &versions, versions.count, 18) == versions.count && versions == [2, 2]
  }
}
