// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

extension UnsafeRawBufferPointer {
  /// The offset of the first occurrence of some bytes at or behind an offset; nil if there is none.
  ///
  /// - Parameter part: At least one byte.
  func offset(of part: [UInt8], from start: Int = 0) -> Int? {
    guard let base = baseAddress, let first = part.first else { return nil }
    var at = start
    while count - at >= part.count {
      guard let found = memchr(base + at, Int32(first), count - at - part.count + 1) else { return nil }
      let offset = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if memcmp(found, part, part.count) == 0 { return offset }
      at = offset + 1
    }
    return nil
  }
}
