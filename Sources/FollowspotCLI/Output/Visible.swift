/// Text from rows made safe to show: nothing in it controls a terminal or breaks a line.
enum Visible {
  /// Controls as `\u{1B}`; TAB and line ends as spaces.
  static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t", "\n", "\r": shown += " "
      case _ where isControl(scalar): shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// C0 and C1 controls, DEL, and the marks that turn the direction of text.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfff9...0xfffb: true
    default: false
    }
  }
}
