// SPDX-License-Identifier: MIT

internal import CSupport

/// Digests that detect a difference, but do not resist an adversary.
package enum Digest {
  /// A 64-bit digest.
  package static func of(_ bytes: [UInt8]) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
      cs_digest(bytes, bytes.count, digest.baseAddress!)
      return UInt64(littleEndian: UnsafeRawBufferPointer(digest).loadUnaligned(as: UInt64.self))
    }
  }

  /// A digest of 32 hexadecimal digits.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    var digits = [CChar](repeating: 0, count: 33)
    cs_digest_hexadecimal(bytes, bytes.count, &digits)
    return String(decoding: digits.prefix(32).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
