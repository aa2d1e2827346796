// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// What tells one state of a file from others without reading it, as in the index of git. Times are in nanoseconds.
struct FileMark: Equatable, Sendable {
  let device, inode, size, modified, changed: UInt64

  /// Follows symbolic links. nil if there is no file, or it cannot be accessed.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    func nanoseconds(_ time: timespec) -> UInt64 {
      UInt64(truncatingIfNeeded: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
    }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = UInt64(truncatingIfNeeded: status.st_size)
    modified = nanoseconds(status.st_mtim)
    changed = nanoseconds(status.st_ctim)
  }

  var numbers: [UInt64] { [device, inode, size, modified, changed] }

  /// - Parameter numbers: As `numbers` gives them.
  init?(numbers: ArraySlice<UInt64>) {
    guard numbers.count == 5 else { return nil }
    let numbers = Array(numbers)
    (device, inode, size, modified, changed) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }
}
