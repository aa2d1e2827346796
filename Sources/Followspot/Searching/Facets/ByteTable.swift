// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// Texts as bytes, numbered from 0 in the order in which they were added. A hash table with open addressing.
struct ByteTable {
  /// Differs from process to process, so that nobody can choose texts with equal hashes.
  private static let seed = UInt64.random(in: .min ... .max)

  private var bytes: [UInt8] = []
  /// Where each text starts, and where the last one ends.
  private var starts = [0]
  /// The upper half of each is a hash, and the lower half is the number of a text and 1. 0 if there is none. The count
  /// is a power of two.
  private var places = [UInt64](repeating: 0, count: 256)

  var count: Int { starts.count - 1 }

  /// The number of a text, which is added if it is not in the table.
  mutating func number(of text: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let hash = Self.hash(text)
    var place = Int(hash) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place] & 0xffff_ffff) - 1
      if places[place] >> 32 == hash, withBytes(of: number, { $0.isEqual(to: text) }) { return (number, false) }
      place = (place + 1) & (places.count - 1)
    }
    bytes.append(contentsOf: text)
    starts.append(bytes.count)
    places[place] = hash << 32 | UInt64(count)
    if count * 2 > places.count { grow() }
    return (count - 1, true)
  }

  func withBytes<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[starts[number]..<starts[number + 1]])) }
  }

  private mutating func grow() {
    var grown = [UInt64](repeating: 0, count: places.count * 4)
    for entry in places where entry != 0 {
      var place = Int(entry >> 32) & (grown.count - 1)
      while grown[place] != 0 { place = (place + 1) & (grown.count - 1) }
      grown[place] = entry
    }
    places = grown
  }

  /// A hash of 32 bits.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
      let product = one.multipliedFullWidth(by: other)
      return product.high ^ product.low
    }
    var hash = seed ^ UInt64(text.count)
    var at = 0
    while at + 8 <= text.count {
      hash = mix(hash ^ text.loadUnaligned(fromByteOffset: at, as: UInt64.self), 0x9e37_79b9_7f4a_7c15)
      at += 8
    }
    var rest: UInt64 = 0
    while at < text.count {
      rest = rest << 8 | UInt64(text[at])
      at += 1
    }
    return mix(mix(hash ^ rest, 0xc2b2_ae3d_27d4_eb4f) ^ seed, 0xff51_afd7_ed55_8ccd) >> 32
  }
}

extension UnsafeRawBufferPointer {
  /// The first bytes, at most 8, as a big-endian number that is filled up with zeros.
  var start: UInt64 { (0..<8).reduce(0) { $0 << 8 | ($1 < count ? UInt64(self[$1]) : 0) } }

  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let own = baseAddress, let others = other.baseAddress else { return true }
    return memcmp(own, others, count) == 0
  }
}
