// SPDX-License-Identifier: MIT

/// Indexes a whole title as one term, so that a record with exactly this title comes first.
package enum TitleText {
  /// The term of a title, or of a query: its letters and digits without regard to case, diacritics and what stands
  /// between words. nil where there are none.
  package static func term(of text: String, _ folder: inout TextFolder) -> [UInt8]? {
    var words = ""
    var isBetween = false
    for scalar in folder.fold(text).lowercased().unicodeScalars where scalar != "'" {
      guard isWord(scalar) else {
        isBetween = true
        continue
      }
      if isBetween, !words.isEmpty { words.append(" ") }
      isBetween = false
      words.unicodeScalars.append(scalar)
    }
    return words.isEmpty ? nil : DocumentLayout.titleTerm(words)
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    // Nearly all are ASCII, for which a look-up of properties takes longer.
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
  }
}
