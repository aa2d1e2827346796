// SPDX-License-Identifier: MIT

/// A binary property list (`bplist00`): a table of objects that refer to each other by index.
///
/// Foundation's decoder cannot read UIDs of keyed archives. As the table is flat, cycles and deep nesting do no harm.
struct BinaryPropertyList {
  enum Object {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case data(Range<Int>)
    case string(String)
    /// An index into the `$objects` of a keyed archive.
    case uid(Int)
    /// Indexes of objects. A set is read as an array.
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let header = Array("bplist00".utf8)
  private static let trailerLength = 32
  private static let objectLimit = 1_000_000

  let objects: [Object]
  let top: Int
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(Failure) {
    let tail = bytes.count - Self.trailerLength
    guard bytes.starts(with: Self.header), tail >= Self.header.count else {
      throw Failure(description: "the data are not a binary property list")
    }
    var reader = Reader(bytes: bytes, end: bytes.count)
    let (offsetSize, referenceSize) = (Int(bytes[tail + 6]), Int(bytes[tail + 7]))
    let count = try reader.unsigned(at: tail + 8, size: 8)
    let top = try reader.unsigned(at: tail + 16, size: 8)
    let table = try reader.unsigned(at: tail + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count <= min(Self.objectLimit, tail),
      top < count, table <= tail, count * offsetSize <= tail - table
    else { throw Failure(description: "the trailer of the property list is damaged") }
    // Objects of a real file do not overlap. In a hostile file they could, to multiply the bytes that are read.
    reader = Reader(bytes: bytes, end: tail, referenceSize: referenceSize, objectCount: count, budget: bytes.count)
    var objects: [Object] = []
    objects.reserveCapacity(count)
    for index in 0..<count {
      objects.append(try reader.object(at: try reader.unsigned(at: table + index * offsetSize, size: offsetSize)))
    }
    (self.objects, self.top, self.bytes) = (objects, top, bytes)
  }

  private struct Reader {
    let bytes: [UInt8]
    /// The offset at which the objects end.
    let end: Int
    var referenceSize = 1
    var objectCount = 0
    /// The number of bytes of objects that may still be read.
    var budget = 0

    func unsigned(at offset: Int, size: Int) throws(Failure) -> Int {
      guard offset >= 0, size >= 0, offset <= bytes.count, size <= bytes.count - offset else {
        throw Failure(description: "an offset of the property list leads past its end")
      }
      var value: UInt64 = 0
      // Only the lowest 64 bits of a wider number are kept.
      for byte in bytes[offset..<(offset + size)] { value = value << 8 | UInt64(byte) }
      guard let number = Int(exactly: value) else {
        throw Failure(description: "a number of the property list is too large")
      }
      return number
    }

    mutating func object(at offset: Int) throws(Failure) -> Object {
      guard offset >= BinaryPropertyList.header.count, offset < end else {
        throw Failure(description: "an object of the property list is out of place")
      }
      let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
      switch kind {
      case 0x0: return low == 8 ? .boolean(false) : low == 9 ? .boolean(true) : .null
      case 0x1:
        let body = try body(at: offset + 1, count: 1 << min(low, 4), width: 1)
        return .integer(Self.integer(bytes[body]))
      case 0x2, 0x3:
        let body = try body(at: offset + 1, count: 1 << min(low, 4), width: 1)
        let bits = UInt64(bitPattern: Self.integer(bytes[body]))
        return .real(
          body.count == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits))
      case 0x4: return .data(try sized(offset, low, width: 1))
      case 0x5, 0x7: return .string(String(decoding: bytes[try sized(offset, low, width: 1)], as: UTF8.self))
      case 0x6:
        let body = try sized(offset, low, width: 2)
        let units = stride(from: body.lowerBound, to: body.upperBound, by: 2).map {
          UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return .string(String(decoding: units, as: UTF16.self))
      case 0x8:
        let body = try body(at: offset + 1, count: low + 1, width: 1)
        return .uid(Int(truncatingIfNeeded: Self.integer(bytes[body])))
      case 0xA, 0xB, 0xC: return .array(try references(try sized(offset, low, width: referenceSize)))
      case 0xD:
        let all = try references(try sized(offset, low, width: 2 * referenceSize))
        return .dictionary(keys: Array(all.prefix(all.count / 2)), values: Array(all.suffix(all.count / 2)))
      default: throw Failure(description: "the property list has an object of an unknown kind")
      }
    }

    /// A big-endian integer: 8 bytes are signed, fewer are unsigned.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
      Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The byte range of an object. Its count is in the first byte, or in the integer that follows it.
    private mutating func sized(_ offset: Int, _ low: Int, width: Int) throws(Failure) -> Range<Int> {
      guard low == 15 else { return try body(at: offset + 1, count: low, width: width) }
      guard offset + 1 < end, bytes[offset + 1] >> 4 == 1 else {
        throw Failure(description: "a length of the property list is damaged")
      }
      let size = 1 << min(Int(bytes[offset + 1] & 15), 4)
      let count = try unsigned(at: offset + 2, size: size)
      return try body(at: offset + 2 + size, count: count, width: width)
    }

    private mutating func body(at start: Int, count: Int, width: Int) throws(Failure) -> Range<Int> {
      guard start <= end, count <= (end - start) / width else {
        throw Failure(description: "an object of the property list leads past its end")
      }
      budget -= count * width
      guard budget >= 0 else { throw Failure(description: "objects of the property list overlap") }
      return start..<(start + count * width)
    }

    private func references(_ range: Range<Int>) throws(Failure) -> [Int] {
      var found: [Int] = []
      found.reserveCapacity(range.count / referenceSize)
      for offset in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
        let index = try unsigned(at: offset, size: referenceSize)
        guard index < objectCount else {
          throw Failure(description: "the property list refers to an object that is not there")
        }
        found.append(index)
      }
      return found
    }
  }
}
