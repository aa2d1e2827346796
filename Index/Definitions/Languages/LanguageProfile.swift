// SPDX-License-Identifier: MIT

/// Infers the languages of a field from a sample of its values.
struct LanguageProfile {
  /// The minimum number of values in a language.
  private static let fewestValues = 3
  /// The minimum share of the values in the main language, and of each other one among the values that are clear.
  private static let smallestShare = 0.05
  /// The minimum weight of the words of short values together, which are not clear one by one. It is also the weight at
  /// which one value is enough.
  private static let least = 6 * LanguageEvidence.word
  /// The minimum share of words that must be evidence of a language.
  private static let wordShare = 0.08

  /// The number of values with words, and of those in each language.
  private var count = 0
  private var values = [Int](repeating: 0, count: KnownLanguages.names.count)
  /// The values that are not clear: their evidence, and the number of them with evidence of each language.
  private var unclear = LanguageEvidence()
  private var unclearValues = [Int](repeating: 0, count: KnownLanguages.names.count)
  private var heaviest = [Int](repeating: 0, count: KnownLanguages.names.count)

  init() {}

  /// - Parameter value: UTF-8.
  mutating func add(_ value: UnsafeRawBufferPointer) {
    var evidence = LanguageEvidence()
    evidence.add(value)
    guard evidence.words > 0 else { return }
    count += 1
    if let language = Self.language(of: evidence, atLeast: LanguageChooser.least) {
      values[language] += 1
      heaviest[language] = max(heaviest[language], evidence.weight(of: language))
    } else {
      unclear.add(evidence)
      for language in values.indices where evidence.weight(of: language) > 0 { unclearValues[language] += 1 }
    }
  }

  private static func language(of evidence: LanguageEvidence, atLeast least: Int) -> Int? {
    evidence.language(among: .max, atLeast: least).flatMap { language in
      let share = Double(evidence.weight(of: language)) / Double(evidence.words * LanguageEvidence.word)
      return share >= wordShare ? language : nil
    }
  }

  /// The names of the stemmers of the languages, the main one first; empty if the values do not tell the main one.
  var languages: [String] {
    var values = values
    if let language = Self.language(of: unclear, atLeast: Self.least) { values[language] += unclearValues[language] }
    let ranked = values.indices.sorted { (values[$1], $0) < (values[$0], $1) }
    let main = ranked[0]
    let isEnough = values[main] >= Self.fewestValues || heaviest[main] >= Self.least
    guard main != KnownLanguages.unstemmed, isEnough, Double(values[main]) >= Self.smallestShare * Double(count) else {
      return []
    }
    let least = max(Double(Self.fewestValues), Self.smallestShare * Double(values.reduce(0, +)))
    return ranked.filter { $0 == main || $0 != KnownLanguages.unstemmed && Double(values[$0]) >= least }
      .map { KnownLanguages.names[$0] }
  }
}
