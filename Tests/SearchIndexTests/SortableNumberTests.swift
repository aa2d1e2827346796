// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

/// The order of the bytes, compared with the order of the numbers in the standard library.
@Suite(.overlapping)
struct SortableNumberTests {
  /// Numbers at which the exponent, the sign, or the number of trimmed bytes changes.
  private static let edges: [Double] = [
    0, -0.0, 1, -1, 1.5, -1.5, 2, -2, 256, -256, 65_536.5, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .leastNormalMagnitude, -.leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity,
    -.infinity, 0x1p52, 0x1p53, -0x1p53, 0x1p62, 0x1p63, -0x1p63, 0x1p64, -0x1p64, -160_358_400, -86_400,
  ]

  private static func doubles(_ random: inout SeededGenerator) -> [Double] {
    let anything = (0..<400).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
    return (edges + anything).flatMap { [$0.nextDown, $0, $0.nextUp] }.filter { !$0.isNaN }
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

  @Test(arguments: Rounds.seeds(3, long: 200))
  func `bytes sort as the doubles do`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let numbers = Self.doubles(&random).shuffled(using: &random)
    for (left, right) in zip(numbers, numbers.dropFirst()) + numbers.map({ ($0, $0.nextUp) }) {
      let (a, b) = (SortableNumber(left).bytes, SortableNumber(right).bytes)
      #expect(Self.precedes(a, b) == (left < right) && Self.precedes(b, a) == (right < left), "\(left) \(right)")
      #expect((a == b) == (left == right), "\(left) \(right)")
    }
    let sorted = numbers.sorted { Self.precedes(SortableNumber($0).bytes, SortableNumber($1).bytes) }
    #expect(sorted == numbers.sorted())
  }

  @Test(arguments: Rounds.seeds(3, long: 200))
  func `integers sort exactly, also compared with doubles`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let edges: [Int64] = [0, 1, -1, 1 << 53, -(1 << 53), .max, .min, 1 << 62, -(1 << 62), .max - 1_024]
    let integers =
      edges.flatMap { edge in (-3...3).map { edge &+ $0 } }
      + (0..<400).map { _ in Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...40, using: &random) }
    let sorted = integers.shuffled(using: &random).sorted {
      Self.precedes(SortableNumber($0).bytes, SortableNumber($1).bytes)
    }
    #expect(sorted == integers.sorted())
    for integer in integers {
      for double in [Double(integer).nextDown, Double(integer), Double(integer).nextUp] {
        let (a, b) = (SortableNumber(integer).bytes, SortableNumber(double).bytes)
        // Compared as integers, so that nothing is rounded.
        let (lower, upper) = (Int64(exactly: double.rounded(.down)), Int64(exactly: double.rounded(.up)))
        #expect(Self.precedes(a, b) == (upper.map { integer < $0 } ?? (double > 0)), "\(integer) \(double)")
        #expect(Self.precedes(b, a) == (lower.map { $0 < integer } ?? (double < 0)), "\(integer) \(double)")
      }
    }
  }

  @Test(arguments: Rounds.seeds(2, long: 100))
  func `bytes decode to the number`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    for number in Self.doubles(&random) {
      let bytes = SortableNumber(number).bytes
      #expect(SortableNumber.double(of: bytes) == number)
      #expect((1...SortableNumber.mostBytes).contains(bytes.count))
    }
    #expect(SortableNumber.double(of: SortableNumber(Int64(1) << 53 + 1).bytes) == 0x1p53)
    #expect(SortableNumber.double(of: SortableNumber(Int64.max).bytes) == (0x1p63).nextDown)
  }

  @Test(arguments: Rounds.seeds(2, long: 100))
  func `a range contains exactly the numbers between its bounds`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let numbers = Self.doubles(&random).shuffled(using: &random)
    for (index, number) in numbers.enumerated() {
      let (low, high) = (numbers[(index + 1) % numbers.count], numbers[(index + 2) % numbers.count])
      for (lowest, highest) in [
        (low, high), (number, high), (low, number), (number, number), (number.nextDown, number),
      ] {
        for (isFrom, isTo) in [(true, true), (true, false), (false, true), (false, false)] {
          let range = NumberRange(
            from: .init(SortableNumber(lowest), isInclusive: isFrom),
            to: .init(SortableNumber(highest), isInclusive: isTo))
          let bytes = SortableNumber(number).bytes
          let isIn = !Self.precedes(bytes, range.lowest) && !Self.precedes(range.highest ?? [0xff], bytes)
          let expected = (isFrom ? lowest <= number : lowest < number) && (isTo ? number <= highest : number < highest)
          #expect(isIn == expected, "\(number) in \(lowest) \(isFrom) to \(highest) \(isTo)")
          if range.isEmpty { #expect(!expected) }
        }
      }
    }
  }
}
