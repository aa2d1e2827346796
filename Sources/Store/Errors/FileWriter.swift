// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

enum FileWriter {
  /// Writes all bytes.
  ///
  /// - Parameter path: The path of the file, for errors.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String) throws {
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw StoreError(systemErrorAt: path) }
      written += count
    }
  }
}
