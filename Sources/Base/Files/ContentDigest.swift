// SPDX-License-Identifier: MIT

internal import CSupport

/// A 128-bit digest of content: SipHash-2-4 with a fixed key. It protects against errors, not against an adversary.
package struct ContentDigest: Hashable, Sendable {
  package let value: UInt128

  package init(value: UInt128) { self.value = value }

  package init(of bytes: UnsafeRawBufferPointer) {
    let digest = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { out in
      cs_digest(bytes.baseAddress, bytes.count, out.baseAddress!.assumingMemoryBound(to: UInt8.self))
      return out.load(as: UInt128.self)
    }
    value = UInt128(littleEndian: digest)
  }

  package init(of bytes: [UInt8]) { self = bytes.withUnsafeBytes { ContentDigest(of: $0) } }

  /// Decodes 16 bytes, little-endian.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    value = bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// 16 bytes, little-endian.
  package var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

  /// 32 hexadecimal digits.
  package var hexadecimal: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  package init?(hexadecimal: String) {
    guard hexadecimal.utf8.count == 32, hexadecimal.allSatisfy(\.isHexDigit),
      let value = UInt128(hexadecimal, radix: 16)
    else { return nil }
    self.value = value
  }
}
