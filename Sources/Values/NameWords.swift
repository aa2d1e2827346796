// SPDX-License-Identifier: MIT

/// The words in a name of a column or an attribute.
package enum NameWords {
  /// The words of names such as `date_added`, `dateAdded` and `last-modified`, in lower case. Digits belong to words.
  package static func of(_ name: String) -> [String] {
    var words = [""]
    var wasLower = false
    for letter in name {
      if !letter.isLetter && !letter.isNumber {
        words.append("")
      } else {
        if letter.isUppercase && wasLower { words.append("") }
        words[words.count - 1] += letter.lowercased()
      }
      wasLower = letter.isLowercase
    }
    return words.filter { !$0.isEmpty }
  }
}
