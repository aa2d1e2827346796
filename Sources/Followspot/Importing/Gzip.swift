// SPDX-License-Identifier: MIT

internal import CZlib

/// Decompresses gzip files.
enum Gzip {
  /// The reason why compressed data cannot be read to the end.
  enum Fault: Error { case truncated, damaged }

  static func isCompressed(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: [0x1f, 0x8b]) }

  /// Decompresses all members of a file, and passes the data to `write` in parts.
  ///
  /// - Throws: `Fault`, after all data before the fault was passed to `write`; errors of `write`.
  static func inflate(_ bytes: UnsafeRawBufferPointer, _ write: ([UInt8]) throws -> Void) throws {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream) == Z_OK else { throw Fault.damaged }
    defer { inflateEnd(&stream) }
    var part = [UInt8](repeating: 0, count: 1 << 16)
    var taken = 0
    while true {
      // zlib counts bytes in 32 bits, so the input is passed in parts.
      let input = UnsafeRawBufferPointer(rebasing: bytes[taken...].prefix(1 << 24))
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(input.count)
      let (code, count) = part.withUnsafeMutableBufferPointer { part in
        stream.next_out = part.baseAddress
        stream.avail_out = UInt32(part.count)
        return (CZlib.inflate(&stream, Z_NO_FLUSH), part.count - Int(stream.avail_out))
      }
      taken += input.count - Int(stream.avail_in)
      if count > 0 { try write(Array(part[..<count])) }
      switch code {
      case Z_OK,
        Z_BUF_ERROR where count > 0:
        continue
      case Z_STREAM_END:
        // Another member may follow. Other data, such as the padding of a tape, is ignored.
        guard isCompressed(UnsafeRawBufferPointer(rebasing: bytes[taken...])) else { return }
        inflateReset(&stream)
      case Z_BUF_ERROR where taken == bytes.count: throw Fault.truncated
      default: throw Fault.damaged
      }
    }
  }
}
