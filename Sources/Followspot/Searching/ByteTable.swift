/// Texts as bytes, numbered from 0 in the order in which they were added. A hash table with open addressing.
struct ByteTable {
  private struct Entry {
    let hash: UInt64
    let start: Int
    let end: Int
  }

  /// Differs from process to process, so that nobody can choose texts with equal hashes.
  private static let seed = UInt64.random(in: .min ... .max)

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  /// The number of an entry and 1; 0 if there is none. The count is a power of two.
  private var places = [UInt32](repeating: 0, count: 64)

  var count: Int { entries.count }

  /// The number of a text, which is added if it is not in the table.
  mutating func number(of text: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let hash = Self.hash(text)
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      if entries[number].hash == hash, withBytes(of: number, { $0.elementsEqual(text) }) { return (number, false) }
      place = (place + 1) & (places.count - 1)
    }
    entries.append(Entry(hash: hash, start: bytes.count, end: bytes.count + text.count))
    bytes.append(contentsOf: text)
    places[place] = UInt32(entries.count)
    if entries.count * 2 > places.count { grow() }
    return (entries.count - 1, true)
  }

  func withBytes<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[entries[number].start..<entries[number].end]))
    }
  }

  private mutating func grow() {
    places = [UInt32](repeating: 0, count: places.count * 4)
    for (number, entry) in entries.enumerated() {
      var place = Int(truncatingIfNeeded: entry.hash) & (places.count - 1)
      while places[place] != 0 { place = (place + 1) & (places.count - 1) }
      places[place] = UInt32(number + 1)
    }
  }

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
    return mix(mix(hash ^ rest, 0xc2b2_ae3d_27d4_eb4f) ^ seed, 0xff51_afd7_ed55_8ccd)
  }
}
