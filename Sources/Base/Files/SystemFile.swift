// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads files by descriptors of their own. Closing one drops the locks of this process on the same file, so that it must
/// have no connection to a database that is read in this way.
package enum SystemFile {
  /// At most `count` bytes from an offset; fewer at the end of the file, and none if it cannot be read.
  package static func bytes(of path: String, at offset: Int = 0, count: Int) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let found = pread(descriptor, &bytes, count, off_t(offset))
    return Array(bytes.prefix(max(0, found)))
  }

  /// The whole text of a file under `/proc`, whose size is unknown before it is read; nil if it cannot be opened.
  package static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
