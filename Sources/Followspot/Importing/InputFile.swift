// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The bytes of a file, mapped into memory, because they are read more than once. Standard input and pipes are copied
/// to a temporary file first.
package final class InputFile {
  let bytes: UnsafeRawBufferPointer
  /// The path, or `standard input`.
  let name: String
  private let isMapped: Bool

  /// - Parameter path: `-` is standard input.
  package static func open(_ path: String) throws -> InputFile {
    guard path != "-" else { return try copied(0, "standard input") }
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OperationError.system("\(path) cannot be read", errno) }
    var status = stat()
    fstat(descriptor, &status)
    switch status.st_mode & S_IFMT {
    case S_IFREG: return try InputFile(descriptor: descriptor, name: path)
    case S_IFDIR:
      close(descriptor)
      throw OperationError(.file, "\(path) is a directory")
    default:
      defer { close(descriptor) }
      return try copied(descriptor, path)
    }
  }

  /// Copies bytes that are already in memory.
  package init(bytes: [UInt8], name: String) {
    self.name = name
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    self.bytes = UnsafeRawBufferPointer(copy)
    isMapped = false
  }

  /// Maps an open file into memory, and closes its descriptor.
  private init(descriptor: Int32, name: String) throws {
    defer { close(descriptor) }
    self.name = name
    isMapped = true
    var status = stat()
    fstat(descriptor, &status)
    guard status.st_size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw OperationError.system("\(name) cannot be read", errno)
    }
    bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
  }

  deinit {
    guard isMapped else { return bytes.deallocate() }
    if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
  }

  /// A copy of the bytes, which stays valid without this object.
  package func copy() -> [UInt8] { Array(bytes) }

  // MARK: Temporary files

  /// Creates an unlinked temporary file from the parts that `write` passes.
  static func made(name: String, _ write: (_ part: ([UInt8]) throws -> Void) throws -> Void) throws -> InputFile {
    let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
    var template = Array((directory + "/followspot-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw OperationError.system("a temporary file cannot be created in \(directory)", errno)
    }
    unlink(template)
    do {
      try write { part in
        var written = 0
        while written < part.count {
          let count = part[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
          guard count >= 0 || errno == EINTR else {
            throw OperationError.system("\(name) cannot be copied to \(directory)", errno)
          }
          written += max(0, count)
        }
      }
    } catch {
      close(descriptor)
      throw error
    }
    return try InputFile(descriptor: descriptor, name: name)
  }

  private static func copied(_ source: Int32, _ name: String) throws -> InputFile {
    try made(name: name) { write in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(source, &buffer, buffer.count)
        if count == 0 { return }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw OperationError.system("\(name) cannot be read", errno) }
        try write(Array(buffer[..<count]))
      }
    }
  }
}
