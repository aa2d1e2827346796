// SPDX-License-Identifier: MIT

/// The character encoding of a file.
package enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  /// UTF-16 in the byte order of its byte order mark; little-endian without a mark.
  case utf16 = "utf-16"
  case utf16LE = "utf-16le"
  case utf16BE = "utf-16be"
  /// Windows-1252, which adds characters such as € to ISO 8859-1. The Web reads all names of Latin-1 as this encoding.
  ///
  /// Source: WHATWG, "Encoding", labels of windows-1252.
  case latin1 = "latin-1"

  /// The encoding with that name, or with another name of Latin-1 such as `latin1`, regardless of case.
  package init?(name: String) {
    let name = name.lowercased()
    let latin1 = ["latin1", "iso-8859-1", "iso8859-1", "windows-1252", "cp1252"]
    guard let encoding = latin1.contains(name) ? .latin1 : TextEncoding(rawValue: name) else { return nil }
    self = encoding
  }

  /// The name as messages show it: `UTF-16LE`.
  var name: String { self == .latin1 ? "Latin-1" : rawValue.uppercased() }

  /// The encoding of a text and the length of its byte order mark.
  ///
  /// - Parameter named: The encoding that a person names; nil = detect it. A byte order mark that contradicts it is
  ///   ignored.
  static func of(_ bytes: UnsafeRawBufferPointer, named: TextEncoding?) -> (encoding: TextEncoding, mark: Int) {
    let marks: [(encoding: TextEncoding, bytes: [UInt8])] = [
      (.utf8, [0xef, 0xbb, 0xbf]), (.utf16LE, [0xff, 0xfe]), (.utf16BE, [0xfe, 0xff]),
    ]
    if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }),
      named == nil || named == mark.encoding || (named == .utf16 && mark.encoding != .utf8)
    {
      return (mark.encoding, mark.bytes.count)
    }
    return (named == .utf16 ? .utf16LE : named ?? .utf8, 0)
  }

  /// Converts a text from UTF-16 or Latin-1 to UTF-8, in parts. An invalid character becomes invalid UTF-8, so that an
  /// error can name its line.
  func decode(_ bytes: UnsafeRawBufferPointer, _ write: ([UInt8]) throws -> Void) throws {
    let width = self == .latin1 ? 1 : 2
    var decoded: [UInt8] = []
    var high: UInt32?
    for offset in stride(from: 0, to: bytes.count - bytes.count % width, by: width) {
      let unit = unit(bytes, at: offset)
      if let first = high {
        high = nil
        if (0xdc00..<0xe000).contains(unit) {
          Self.append(0x1_0000 + (first - 0xd800) << 10 + (unit - 0xdc00), to: &decoded)
          continue
        }
        Self.append(first, to: &decoded)
      }
      if (0xd800..<0xdc00).contains(unit) { high = unit } else { Self.append(unit, to: &decoded) }
      if decoded.count > 1 << 16 {
        try write(decoded)
        decoded.removeAll(keepingCapacity: true)
      }
    }
    if let high { Self.append(high, to: &decoded) }
    if bytes.count % width != 0 { decoded.append(0xff) }
    try write(decoded)
  }

  private func unit(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    switch self {
    case .latin1: Self.windows1252[bytes[offset]] ?? UInt32(bytes[offset])
    case .utf16BE: UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1])
    default: UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset])
    }
  }

  /// The characters that Windows-1252 has instead of control characters.
  private static let windows1252: [UInt8: UInt32] = [
    0x80: 0x20ac, 0x82: 0x201a, 0x83: 0x0192, 0x84: 0x201e, 0x85: 0x2026, 0x86: 0x2020, 0x87: 0x2021, 0x88: 0x02c6,
    0x89: 0x2030, 0x8a: 0x0160, 0x8b: 0x2039, 0x8c: 0x0152, 0x8e: 0x017d, 0x91: 0x2018, 0x92: 0x2019, 0x93: 0x201c,
    0x94: 0x201d, 0x95: 0x2022, 0x96: 0x2013, 0x97: 0x2014, 0x98: 0x02dc, 0x99: 0x2122, 0x9a: 0x0161, 0x9b: 0x203a,
    0x9c: 0x0153, 0x9e: 0x017e, 0x9f: 0x0178,
  ]

  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(scalar >> shift & 0x3f) }
    switch scalar {
    case ..<0x80: text.append(UInt8(scalar))
    case ..<0x800: text += [0xc0 | UInt8(scalar >> 6), tail(0)]
    case ..<0x1_0000: text += [0xe0 | UInt8(scalar >> 12), tail(6), tail(0)]
    default: text += [0xf0 | UInt8(scalar >> 18), tail(12), tail(6), tail(0)]
    }
  }
}
