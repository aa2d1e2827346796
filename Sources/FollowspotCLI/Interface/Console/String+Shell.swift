// SPDX-License-Identifier: MIT

internal import Base

extension String {
  /// The text on one line that cannot control the terminal. Control characters become `\u{1B}` and the like, TABs and
  /// line ends become spaces, and the separators of ASCII, which some programs write between the parts of a value, ` › `.
  var printable: String {
    guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\t", "\n", "\r": shown += " "
      case "\u{1C}"..."\u{1F}": shown += " › "
      case _ where scalar.isTerminalControl: shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// The text as one word of a shell command, in quotation marks if necessary.
  var quotedForShell: String {
    let isPlain = unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_./:=,@%+".unicodeScalars.contains(scalar)
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
