// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Glibc

/// Output that is kept until it may be printed: in memory, and beyond 4 MB in a temporary file without a name.
final class OutputSpool {
  private static let most = 4 << 20
  private var bytes: [UInt8] = []
  private var file: Int32 = -1

  deinit { if file >= 0 { close(file) } }

  func write(_ more: [UInt8]) throws {
    bytes += more
    guard bytes.count > Self.most else { return }
    if file < 0 { file = try Self.unnamedFile() }
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { throw Self.error("the result cannot be kept in a temporary file") }
      start += max(0, count)
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes everything to standard output.
  func print() throws {
    if file >= 0 {
      lseek(file, 0, SEEK_SET)
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(file, &chunk, chunk.count)
        guard count >= 0 || errno == EINTR else { throw Self.error("the temporary file cannot be read") }
        guard count != 0 else { break }
        if count > 0 { Console.write(bytes: Array(chunk[..<count])) }
      }
    }
    Console.write(bytes: bytes)
    Console.flush()
  }

  private static func unnamedFile() throws -> Int32 {
    let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(directory)/followspot-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw error("a temporary file in \(directory) cannot be created") }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }

  private static func error(_ what: String) -> CommandError {
    CommandError(
      "\(what): \(String(cString: strerror(errno)))", hint: Hint.freeSpace,
      code: errno == ENOSPC || errno == EDQUOT ? .temporary : .failure)
  }
}
