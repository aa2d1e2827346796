// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// A database file in WAL mode that is checkpointed: its `-wal` is empty or missing.
///
/// A commit in WAL mode writes to the `-wal` before other connections can see it. The main file changes only when a
/// checkpoint copies pages from a `-wal` that is not empty. The `-wal` is emptied or removed only after all pages were
/// copied. So the main file alone holds the newest state, it does not change, and an immutable connection reads it without
/// locks. `isUnchanged` checks that this was so from before the connection was opened until after its last statement.
///
/// No process may use it for a file to which it has another connection: closing the descriptor drops the locks of that
/// connection.
package struct CheckpointedFile {
  private let path: String
  private let state: FileStates.File

  /// Checks a file. nil if it is not checkpointed, was just written, or has another form.
  ///
  /// - Parameters:
  ///   - path: Without symbolic links, because the name of the `-wal` follows from it.
  ///   - recent: A file that was written so recently, in seconds, could be written again without another modification
  ///     time. The coarsest times of file systems are 2 s apart.
  init?(path: String, recent: Int = 3) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // With a second name, a file can have another `-wal`.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
      abs(now.tv_sec - status.st_mtim.tv_sec) > recent, Self.isCheckpointed(path), Self.isInWALMode(descriptor)
    else { return nil }
    (self.path, state) = (path, FileStates.File(status, isMain: true))
  }

  /// Whether the file was checkpointed the whole time, so that all that was read is of one state.
  var isUnchanged: Bool {
    var now = stat()
    return Self.isCheckpointed(path) && lstat(path, &now) == 0 && now.st_nlink == 1
      && FileStates.File(now, isMain: true) == state
  }

  private static func isCheckpointed(_ path: String) -> Bool {
    var status = stat()
    guard stat(path + "-journal", &status) != 0, errno == ENOENT else { return false }
    return isLogEmpty(ofFileAt: path)
  }

  /// Whether the `-wal` of a file is empty or missing; false if that is not known.
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
