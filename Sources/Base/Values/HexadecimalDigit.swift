// SPDX-License-Identifier: MIT

extension UInt8 {
  /// Whether it is a digit of hashes and GUIDs in ASCII, or the hyphen between them.
  package var isHexadecimalOrHyphen: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
