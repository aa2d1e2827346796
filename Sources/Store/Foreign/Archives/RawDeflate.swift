// SPDX-License-Identifier: MIT

internal import CZlib

/// Raw DEFLATE data: zlib's compression without a header or a checksum.
enum RawDeflate {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter limit: The maximum size of the result in bytes, so that a small file cannot fill the memory.
  static func inflate(_ compressed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard czlib_begin_raw(&stream) == Z_OK else { throw Failure(description: "out of memory") }
    defer { inflateEnd(&stream) }
    var input = compressed
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var code = Z_OK
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      while code == Z_OK, output.count <= limit {
        chunk.withUnsafeMutableBufferPointer { chunk in
          stream.next_out = chunk.baseAddress
          stream.avail_out = UInt32(chunk.count)
          code = CZlib.inflate(&stream, Z_NO_FLUSH)
          output.append(contentsOf: chunk.prefix(chunk.count - Int(stream.avail_out)))
        }
      }
    }
    guard output.count <= limit else { throw Failure(description: "the inflated data exceed \(limit >> 20) MiB") }
    guard code == Z_STREAM_END else { throw Failure(description: "the compressed data are damaged") }
    return output
  }
}
