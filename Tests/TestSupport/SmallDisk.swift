// SPDX-License-Identifier: MIT

internal import Foundation

/// A file system in memory of a given size. Only root may mount it.
package final class SmallDisk {
  package struct Refused: Error, CustomStringConvertible {
    package let description: String
  }

  package let path: String
  private var filler: String { path + "/filler" }

  package init(in directory: TemporaryDirectory, name: String = "small", megabytes: Int) throws {
    path = directory.file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
      throw Refused(description: "mount failed: \(String(cString: strerror(errno)))")
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  package func grow(toMegabytes megabytes: Int) -> Bool {
    mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(megabytes)m") == 0
  }

  /// Fills the remaining space.
  package func fill() throws {
    let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Refused(description: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: 4_096)
    while write(descriptor, block, block.count) > 0 {}
  }

  package func empty() { unlink(filler) }
}
