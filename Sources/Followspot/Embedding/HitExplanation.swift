// SPDX-License-Identifier: MIT

internal import Store

/// Why an object matches a query, or why it does not.
public struct HitExplanation: Sendable {
  /// Whether the query finds the object.
  public enum Verdict: String, Sendable {
    /// The object meets all conditions.
    case matches
    /// The object has some of the words, and the query was widened.
    case widened
    /// The query does not find the object.
    case no
  }

  /// One word or condition of the query.
  public struct Part: Hashable, Sendable {
    /// How the part takes effect.
    public enum Role: String, Sendable {
      /// A word, which adds to the score.
      case word
      /// A condition that every hit meets.
      case required
      /// A condition that no hit meets.
      case excluded
      /// A part that only raises the score: a boost, or a match in the title or in short values.
      case preferred
    }

    /// The part as typed, or the name of a boost.
    public let text: String
    /// How the part takes effect.
    public let role: Role
    /// Whether the object matches this part.
    public let isMatched: Bool
    /// What this part adds to the score.
    public let score: Double
    /// The number of objects that match this part.
    public let matches: Int
    /// The fields in which the object has the word, and their shares of its score.
    public let scoresByField: [String: Double]
    /// A remark for people; nil if there is none.
    public let note: String?
    /// Whether it is a stop word that is ignored because the query has other words.
    public let isIgnored: Bool
  }

  /// The object's identifier.
  public let id: String
  /// The object's title; empty if there is none.
  public let title: String
  /// Whether the query finds the object.
  public let verdict: Verdict
  /// The score of the object; 0 if it is not found.
  public let score: Double
  /// The words and conditions, in the order of the query, then boosts.
  public let parts: [Part]
  /// Sentences about why the object, or a part of it, is not in the index.
  public let reasons: [String]
}

extension HitExplanation {
  init(_ explanation: Explanation) {
    (id, title) = (explanation.identifier.uri, explanation.title)
    (score, reasons) = (explanation.score, explanation.reasons)
    verdict =
      switch explanation.verdict {
      case .matches: .matches
      case .widened: .widened
      case .no: .no
      }
    parts = explanation.parts.map(Part.init)
  }
}

extension HitExplanation.Part {
  fileprivate init(_ part: Explanation.Part) {
    (text, score, matches, note) = (part.text, part.score, part.frequency, part.note)
    (isMatched, isIgnored) = (part.isThere, part.isIgnored)
    scoresByField = Dictionary(part.fields.map { ($0.field, $0.score) }, uniquingKeysWith: max)
    role =
      switch part.role {
      case .word: .word
      case .required: .required
      case .excluded: .excluded
      case .preferred: .preferred
      }
  }
}
