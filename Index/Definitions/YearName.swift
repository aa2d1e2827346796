// SPDX-License-Identifier: MIT

internal import Base

/// Attributes that hold years, by their names.
enum YearName {
  private static let parts = ["year", "jahr", "annee", "année"]
  private static let words: Set<String> = ["yr", "ano", "año", "anno", "jaar", "rok", "vuosi", "év", "år"]
  /// Names of events, whose numbers are years if they look like it.
  private static let events: Set<String> = [
    "published", "released", "release", "issued", "born", "birth", "died", "death", "founded", "built", "opened",
    "closed",
  ]

  /// Whether an attribute is named like a year: `year`, `birthYear`, `erscheinungsjahr`.
  static func isYear(_ name: String) -> Bool {
    let lowered = name.lowercased()
    return parts.contains { lowered.contains($0) } || !words.isDisjoint(with: letters(of: name))
  }

  /// Whether an attribute is named like an event that has a year: `published`.
  static func isEvent(_ name: String) -> Bool { !events.isDisjoint(with: letters(of: name)) }

  /// The words of a name without their digits.
  private static func letters(of name: String) -> [String] { NameWords.of(name).map { $0.filter(\.isLetter) } }
}
