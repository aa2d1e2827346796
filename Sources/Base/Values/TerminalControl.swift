// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether a terminal could interpret the character instead of showing it. These are C0 and C1 controls, DEL, line
  /// separators and marks that change the direction of text. It is inlined, because `JSONWriter` asks it of each character.
  @inlinable package var isTerminalControl: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfff9...0xfffb: true
    default: false
    }
  }
}
