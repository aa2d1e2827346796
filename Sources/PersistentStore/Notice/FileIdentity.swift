#if canImport(Glibc)
  internal import Glibc
#endif

/// Which file a path leads to: device and inode. A file that was replaced has another identity.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt
  private let inode: UInt
  package let isDirectory: Bool

  /// The file at `path`, links followed; nil where there is none.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}
