internal import SearchIndex

/// Indexes a whole title as one term, so that a record with exactly this title comes first.
enum TitleText {
  /// The term of a title, or of a query: its letters and digits without regard to case, diacritics and what stands
  /// between words. nil where there are none.
  static func term(of text: String, _ folder: inout TextFolder) -> [UInt8]? {
    var words = ""
    var isBetween = false
    for scalar in folder.fold(text).lowercased().unicodeScalars where scalar != "'" {
      guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
        isBetween = true
        continue
      }
      if isBetween, !words.isEmpty { words.append(" ") }
      isBetween = false
      words.unicodeScalars.append(scalar)
    }
    return words.isEmpty ? nil : DocumentLayout.titleTerm(words)
  }
}
