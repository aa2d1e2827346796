// SPDX-License-Identifier: MIT

/// The FNV-1a hash of bytes or of scalars.
enum FNV1a {
  static let start: UInt64 = 0xcbf2_9ce4_8422_2325

  @inlinable
  static func adding(_ part: some FixedWidthInteger & UnsignedInteger, to hash: UInt64) -> UInt64 {
    (hash ^ UInt64(part)) &* 0x100_0000_01b3
  }
}
