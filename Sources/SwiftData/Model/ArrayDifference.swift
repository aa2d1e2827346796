// SPDX-License-Identifier: MIT

/// The range in which two arrays of objects differ.
struct ArrayDifference {
  let old: Range<Int>
  let new: Range<Int>

  /// nil where both hold the same objects in the same order.
  init?(from before: [AnyObject], to after: [AnyObject]) {
    let shorter = min(before.count, after.count)
    let (prefix, suffix) = before.withUnsafeBytes { before in
      after.withUnsafeBytes { after in
        let prefix = Self.common(before, after, at: 0, 0, limit: shorter, step: Self.size)
        let ends = (before.count - Self.size, after.count - Self.size)
        return (prefix, Self.common(before, after, at: ends.0, ends.1, limit: shorter - prefix, step: -Self.size))
      }
    }
    old = prefix..<(before.count - suffix)
    new = prefix..<(after.count - suffix)
    if old.isEmpty, new.isEmpty { return nil }
  }

  private static let size = MemoryLayout<UInt>.size

  /// How many references are the same, from two byte offsets on. They are compared as numbers: nothing is retained.
  private static func common(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, at first: Int, _ other: Int, limit: Int, step: Int
  ) -> Int {
    var count = 0
    while count < limit,
      left.load(fromByteOffset: first + count * step, as: UInt.self)
        == right.load(fromByteOffset: other + count * step, as: UInt.self)
    {
      count += 1
    }
    return count
  }
}
