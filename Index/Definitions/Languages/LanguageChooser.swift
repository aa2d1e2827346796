// SPDX-License-Identifier: MIT

/// Chooses the language of each value of a field that has several languages. It depends on the value alone.
struct LanguageChooser: Sendable {
  /// The minimum weight of the words of a value whose language is clear.
  static let least = 2 * LanguageEvidence.word

  private let candidates: KnownLanguages.Languages
  private let main: String

  /// - Parameter languages: The languages of the field, the main one first; nil if there is nothing to choose.
  init?(_ languages: [String]) {
    guard languages.count > 1 else { return nil }
    main = languages[0]
    candidates = KnownLanguages.set(of: languages)
  }

  /// The language of a value in UTF-8, or the main language if it is not clear.
  func language(of value: UnsafeRawBufferPointer) -> String {
    var evidence = LanguageEvidence()
    evidence.add(value)
    return evidence.language(among: candidates, atLeast: Self.least).map { KnownLanguages.names[$0] } ?? main
  }
}
