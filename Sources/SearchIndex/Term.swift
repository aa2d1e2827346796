/// Terms that stand for a whole value: unique terms and boolean terms.
package enum Term {
  /// Bytes beyond which a value is replaced by its beginning and a digest; Xapian takes 245, prefix included.
  package static let longest = 200
  private static let keptBeginning = 160

  /// `prefix` and the value, escaped: Xapian counts NUL twice and finds out at commit only, so bytes below 0x21, `%`
  /// and DEL become `%XX`.
  package static func whole(_ prefix: [UInt8], _ value: some Sequence<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var term = prefix
    for byte in value {
      if byte > 0x20, byte != 0x25, byte != 0x7f {
        term.append(byte)
      } else {
        term += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    guard term.count > longest else { return term }
    return term.prefix(keptBeginning) + Array("#".utf8) + Array(ContentDigest(of: term).hexadecimal.utf8)
  }

  /// The value of a term of at most `longest` bytes that `whole` made.
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
