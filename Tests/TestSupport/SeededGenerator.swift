// SPDX-License-Identifier: MIT

/// Random numbers that a seed reproduces (SplitMix64). A failing test prints its seed, which is its argument.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Neighbouring seeds start far apart, so that their numbers are independent.
  package init(seed: Int) { state = Self.mix(UInt64(truncatingIfNeeded: seed) &+ 0x6a09_e667_f3bc_c909) }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  private static func mix(_ bits: UInt64) -> UInt64 {
    var mixed = bits
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
