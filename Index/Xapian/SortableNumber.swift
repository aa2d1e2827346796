// SPDX-License-Identifier: MIT

internal import CXapian

/// A number encoded as bytes that sort as the number does, for value slots and the bounds of ranges.
///
/// The bytes are the bits of the IEEE 754 double, most significant first, with the sign bit inverted for positive
/// numbers and all bits inverted for negative ones, without trailing zero bytes. An integer that no double equals is
/// the next lower double, all its eight bytes, and two bytes for the difference. Xapian's own `sortable_serialise` is
/// not used: up to 1.4.22 it does not keep the order of negative numbers.
package struct SortableNumber: Hashable, Sendable {
  let bytes: [UInt8]

  /// The maximum length in bytes.
  static let mostBytes = 10

  /// - Parameter number: Not NaN. Both zeros are the same number.
  package init(_ number: Double) { bytes = Self.trimmed(Self.ordered(number)) }

  package init(_ integer: Int64) {
    var lower = Double(integer)
    // The largest integers round up to 2^63, which is not an Int64.
    if lower == 0x1p63 || Int64(lower) > integer { lower = lower.nextDown }
    let rest = integer - Int64(lower)
    bytes =
      rest == 0
      ? Self.trimmed(Self.ordered(lower)) : Self.ordered(lower) + [UInt8(rest >> 8), UInt8(truncatingIfNeeded: rest)]
  }

  private static func ordered(_ number: Double) -> [UInt8] {
    precondition(!number.isNaN, "NaN has no place among numbers")
    let bits = number == 0 ? 0 : number.bitPattern
    let isNegative = bits >> 63 == 1
    return withUnsafeBytes(of: (isNegative ? ~bits : bits | 1 << 63).bigEndian, Array.init)
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
  }

  /// The integer that the bytes encode; nil if they encode another number.
  package static func integer(of bytes: [UInt8]) -> Int64? {
    guard let lower = Int64(exactly: double(of: bytes)) else { return nil }
    guard bytes.count == mostBytes else { return lower }
    let (integer, isTooLarge) = lower.addingReportingOverflow(Int64(bytes[8]) << 8 | Int64(bytes[9]))
    return isTooLarge ? nil : integer
  }

  /// The double that the bytes encode; the lower one for an integer between two doubles.
  package static func double(of bytes: [UInt8]) -> Double { bytes.withCharacters { cx_number($0, bytes.count) } }
}

/// A range of numbers. Either bound may be missing.
package struct NumberRange: Hashable, Sendable {
  package struct Bound: Hashable, Sendable {
    let number: SortableNumber
    let isInclusive: Bool

    package init(_ number: SortableNumber, isInclusive: Bool = true) {
      self.number = number
      self.isInclusive = isInclusive
    }
  }

  /// nil if there is no bound.
  var lower: Bound?
  var upper: Bound?

  package init(from lower: Bound?, to upper: Bound?) {
    self.lower = lower
    self.upper = upper
  }

  package init(only number: SortableNumber) { self.init(from: Bound(number), to: Bound(number)) }

  /// The lowest bytes of a value in the range. Every value is above one zero byte.
  var lowest: [UInt8] {
    guard let lower else { return [0] }
    return lower.isInclusive ? lower.number.bytes : lower.number.bytes + [0]
  }

  /// The highest bytes of a value in the range; nil if there is no bound.
  var highest: [UInt8]? {
    guard let upper else { return nil }
    var bytes = upper.number.bytes
    guard !upper.isInclusive else { return bytes }
    // The number below it in the longest form, of which every lesser number is at most a prefix.
    bytes += [UInt8](repeating: 0, count: SortableNumber.mostBytes - bytes.count)
    for index in bytes.indices.reversed() {
      bytes[index] &-= 1
      if bytes[index] != 0xff { break }
    }
    return bytes
  }

  /// Whether its upper bound is less than its lower one.
  package var isReversed: Bool {
    guard let lower, let upper else { return false }
    return upper.number.bytes.lexicographicallyPrecedes(lower.number.bytes)
  }

  /// Whether no number can be in it.
  var isEmpty: Bool { highest.map { $0.lexicographicallyPrecedes(lowest) } ?? false }
}
