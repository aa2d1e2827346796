// SPDX-License-Identifier: MIT

internal import Base

/// Terms that contain a whole value: unique terms and boolean terms.
package enum Term {
  /// Maximum length in bytes; a longer term ends with a digest. Xapian accepts 245 bytes.
  package static let longest = 200
  private static let keptBeginning = 160
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// `prefix` and the escaped value: bytes below 0x21, `%` and DEL become `%XX`. Xapian counts a NUL as two bytes, and
  /// checks that length only when it commits.
  package static func whole(_ prefix: [UInt8], _ value: [UInt8]) -> [UInt8] {
    var term = prefix
    term.reserveCapacity(prefix.count + value.count)
    for byte in value {
      if byte > 0x20, byte != 0x25, byte != 0x7f {
        term.append(byte)
      } else {
        term.append(0x25)
        term.append(digits[Int(byte >> 4)])
        term.append(digits[Int(byte & 15)])
      }
    }
    guard term.count > longest else { return term }
    return term.prefix(keptBeginning) + Array("#".utf8) + Array(ContentDigest(of: term).hexadecimal.utf8)
  }

  /// The value in a term of at most `longest` bytes that `whole` made.
  package static func value(of term: [UInt8], behind prefix: [UInt8]) -> String {
    var value: [UInt8] = []
    var rest = term.dropFirst(prefix.count)
    while let byte = rest.popFirst() {
      guard byte == 0x25, let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        value.append(byte)
        continue
      }
      value.append(escaped)
      rest = rest.dropFirst(2)
    }
    return String(decoding: value, as: UTF8.self)
  }
}
