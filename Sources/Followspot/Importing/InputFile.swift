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
  private let isMapped: Bool

  /// - Parameter path: `-` is standard input.
  package init(path: String) throws {
    let name = path == "-" ? "standard input" : path
    self.name = name
    isMapped = true
    var descriptor = path == "-" ? try Self.spool(0, name) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FollowspotError.system("\(path) cannot be read", errno)
    }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    guard status.st_mode & S_IFMT != S_IFDIR else { throw FollowspotError(.file, "\(path) is a directory") }
    if status.st_mode & S_IFMT != S_IFREG {
      let copy = try Self.spool(descriptor, name)
      close(descriptor)
      descriptor = copy
      fstat(descriptor, &status)
    }
    guard status.st_size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw FollowspotError.system("\(path) cannot be read", errno)
    }
    bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
  }

  /// Bytes that are in the program.
  package init(bytes: [UInt8], name: String) {
    self.name = name
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    self.bytes = UnsafeRawBufferPointer(copy)
    isMapped = false
  }

  /// The bytes, for those who do not keep the file.
  package func copy() -> [UInt8] { Array(bytes) }

  deinit {
    guard isMapped else { return bytes.deallocate() }
    if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
  }

  /// Copies what can be read once into a temporary file without a name.
  private static func spool(_ source: Int32, _ name: String) throws -> Int32 {
    let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
    var template = Array((directory + "/followspot-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw FollowspotError.system("no temporary file in \(directory)", errno)
    }
    unlink(template)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return descriptor }
      if count > 0, write(descriptor, buffer, count) == count { continue }
      let reason = errno
      close(descriptor)
      throw FollowspotError.system(
        count < 0 ? "\(name) cannot be read" : "\(name) cannot be copied to \(directory)", reason)
    }
  }
}
