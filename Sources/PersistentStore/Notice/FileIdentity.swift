#if canImport(Glibc)
  internal import Glibc
#endif

/// Which file a path leads to: device and inode. A file that was replaced has another identity.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt
  private let inode: UInt
  /// What it is where it is not an ordinary file, such as `a directory`: opening another kind may wait for ever.
  package let otherKind: String?
  /// How many names it has.
  package let names: Int

  /// The file at `path`, links followed; nil where there is none, or none that can be looked at: `errno` says why.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    names = Int(status.st_nlink)
    otherKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil
      case S_IFDIR: "a directory"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
  }

  /// The path without links, as far as it leads to something.
  static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether both are the same file, whatever became of its names.
  package static func == (one: FileIdentity, other: FileIdentity) -> Bool {
    one.device == other.device && one.inode == other.inode
  }
}
