// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The identity of the file at a path: device and inode. A file that was replaced has another identity.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt
  /// The kind of file, such as `a directory`; nil for a regular file. Opening another kind may block indefinitely.
  package let otherKind: String?
  /// The number of hard links.
  let linkCount: Int

  /// Follows symbolic links. nil if there is no file, or it cannot be accessed; `errno` gives the reason.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    linkCount = Int(status.st_nlink)
    otherKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil
      case S_IFDIR: "a directory"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
  }

  /// The path with symbolic links resolved; `path` itself if it cannot be resolved.
  package static func realPath(_ path: String) -> String { resolved(path) ?? path }

  /// The path with symbolic links resolved; nil if it cannot be resolved.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether both are the same file; its names and their number do not matter.
  package static func == (one: FileIdentity, other: FileIdentity) -> Bool {
    one.device == other.device && one.inode == other.inode
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(inode)
  }
}
