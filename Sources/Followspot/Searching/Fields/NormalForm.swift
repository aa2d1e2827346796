// SPDX-License-Identifier: MIT

// The standard library normalises strings but offers the composed form to its own libraries only.
@_spi(_Unicode) internal import Swift

extension UnsafeRawBufferPointer {
  /// Whether these bytes are certainly UTF-8 in normal form C: all characters are below U+0300.
  var isInNormalForm: Bool { allSatisfy { $0 < 0xcc } }
}

extension [UInt8] {
  /// The same text as UTF-8 in normal form C. Strings are equal if these bytes are.
  var inNormalForm: [UInt8] {
    if withUnsafeBytes(\.isInNormalForm) { return self }
    var composed = String.UnicodeScalarView()
    for scalar in String(decoding: self, as: UTF8.self)._nfc { composed.append(scalar) }
    return [UInt8](String(composed).utf8)
  }
}
