internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The bytes of a file that is read more than once, mapped into memory. Standard input is copied into a temporary
/// file first.
package final class InputFile {
  package let bytes: UnsafeRawBufferPointer
  /// The path, or `standard input`.
  package let name: String

  /// - Parameter path: `-` is standard input.
  package init(path: String) throws {
    name = path == "-" ? "standard input" : path
    let descriptor = path == "-" ? try Self.spool() : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FollowspotError(.file, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FollowspotError(.file, "\(path) is not a regular file", hint: "pipe it in and name - as the file")
    }
    guard status.st_size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw FollowspotError(.file, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
  }

  deinit {
    if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
  }

  private static func spool() throws -> Int32 {
    let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
    var template = Array((directory + "/followspot-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw FollowspotError(.file, "no temporary file in \(directory): \(String(cString: strerror(errno)))")
    }
    unlink(template)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(0, &buffer, buffer.count)
      if count == 0 { return descriptor }
      guard count > 0, write(descriptor, buffer, count) == count else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        throw FollowspotError(.file, "standard input cannot be copied to \(directory): \(reason)")
      }
    }
  }
}
