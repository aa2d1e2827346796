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

  /// The singular of a word in lower case, by the rules of English; the word itself if it does not look like a plural.
  package static func singular(_ word: String) -> String {
    if word.count > 4, word.hasSuffix("ies") { return word == "series" ? word : word.dropLast(3) + "y" }
    if word.count > 4, ["sses", "shes", "ches", "xes", "zes", "uses"].contains(where: word.hasSuffix) {
      return String(word.dropLast(2))
    }
    if word.count > 3, word.hasSuffix("s"), !["ss", "us", "is"].contains(where: word.hasSuffix) {
      return String(word.dropLast())
    }
    return word
  }
}
