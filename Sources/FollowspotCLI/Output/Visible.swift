internal import Followspot

/// Text from rows made safe to show: nothing in it controls a terminal or breaks a line.
enum Visible {
  /// Controls as `\u{1B}`; TAB and line ends as spaces.
  static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isTerminalControl) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t", "\n", "\r": shown += " "
      case _ where scalar.isTerminalControl: shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
