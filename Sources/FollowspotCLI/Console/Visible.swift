// SPDX-License-Identifier: MIT

internal import Indexing

/// Makes text from rows safe to display: it cannot control the terminal or break a line.
enum Visible {
  /// The text on one line. Control characters become `\u{1B}` and the like; TABs and line ends become spaces.
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
